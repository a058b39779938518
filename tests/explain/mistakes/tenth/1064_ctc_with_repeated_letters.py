import torch
from torch import nn

torch.manual_seed(0)
acoustic = nn.LSTM(8, 12)
classifier = nn.Linear(12, 6)
ctc = nn.CTCLoss(blank=0)
params = [*acoustic.parameters(), *classifier.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
audio = torch.randn(6, 2, 8)
words = torch.tensor([[3, 1, 2, 0, 0], [4, 4, 4, 2, 2]])
audio_len, word_len = torch.tensor([6, 6]), torch.tensor([3, 5])
h, _ = acoustic(audio)
log_probs = classifier(h).log_softmax(-1)
loss = ctc(log_probs, words, audio_len, word_len)
loss.backward()
opt.step()
