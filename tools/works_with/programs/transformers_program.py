"""GPT-2 is trained by Trainer, generates and is saved; BERT classifies; a cache of keys changes no token."""

import tempfile

import torch
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainingArguments,
    set_seed,
)


def small_gpt2():
    set_seed(0)
    config = GPT2Config(
        vocab_size=20, n_positions=32, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    return GPT2LMHeadModel(config)


def test_trainer_generation_and_saving():
    model = small_gpt2()
    rows = [{"input_ids": (torch.arange(16) + k) % 10 + 1} for k in range(32)]
    for row in rows:
        row["labels"] = row["input_ids"]
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=model,
            args=TrainingArguments(
                output_dir=folder, max_steps=60, per_device_train_batch_size=16, learning_rate=5e-3,
                logging_steps=20, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True,
            ),
            train_dataset=rows,
        )  # fmt: skip
        assert trainer.train().training_loss < 1.5
        model.eval()
        start = torch.tensor([[3, 4, 5, 6]])
        mask = torch.ones_like(start)
        told = model.generate(start, attention_mask=mask, max_new_tokens=8, do_sample=False, pad_token_id=0)
        assert told[0].tolist() == [3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4]
        without = model.generate(
            start, attention_mask=mask, max_new_tokens=8, do_sample=False, pad_token_id=0, use_cache=False
        )
        assert torch.equal(told, without)
        trainer.save_model(folder)
        again = AutoModelForCausalLM.from_pretrained(folder).eval()
        assert torch.equal(again(start).logits, model(start).logits)


def test_bert_classifies():
    set_seed(0)
    config = BertConfig(
        vocab_size=30, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=16, num_labels=2,
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    tokens = torch.randint(1, 30, (24, 10))
    labels = (tokens[:, 0] > 15).long()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    losses = []
    for _ in range(25):
        optimizer.zero_grad()
        loss = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), labels=labels).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


if __name__ == "__main__":
    test_trainer_generation_and_saving()
    test_bert_classifies()
