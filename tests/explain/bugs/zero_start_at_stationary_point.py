"""Gradient descent starts where the slope is 0.

https://github.com/smallflyingpig/universal_adversarial_perturbation_generative_network_for_speaker_recognition/issues/4
"""

import pullback as torch
from pullback import explain

x = torch.zeros(3, requires_grad=True)
loss = (x * x).sum()  # <-- culprit
loss.backward()
answer = explain.why_zero(x)
