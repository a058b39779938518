"""A LightningModule is fitted with validation and checkpoints, loaded from the best one, and tested."""

import tempfile
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Fit(lightning.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))

    def loss(self, batch):
        return nn.functional.mse_loss(self.layers(batch[0]), batch[1])

    def training_step(self, batch, number):
        loss = self.loss(batch)
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, number):
        self.log("validation", self.loss(batch), prog_bar=True)

    def test_step(self, batch, number):
        self.log("test", self.loss(batch))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.02)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 10)}


def test_fit_and_test():
    lightning.seed_everything(0, verbose=False)
    x = torch.randn(128, 2)
    data = TensorDataset(x, (x[:, :1] * x[:, 1:]).tanh())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*num_workers.*|.*does not have many workers.*")
        best = ModelCheckpoint(monitor="validation", dirpath=folder)
        trainer = lightning.Trainer(
            max_epochs=12, accelerator="cpu", devices=1, default_root_dir=folder, logger=False,
            enable_progress_bar=False, enable_model_summary=True, log_every_n_steps=1,
            gradient_clip_val=1.0, callbacks=[best, EarlyStopping("validation", patience=5)],
        )  # fmt: skip
        model = Fit()
        before = model.loss(data[:]).item()
        trainer.fit(model, DataLoader(data, 16, shuffle=True), DataLoader(data, 64))
        loaded = Fit.load_from_checkpoint(best.best_model_path)
        assert loaded.hparams.width == 16
        (found,) = trainer.test(loaded, DataLoader(data, 64), verbose=False)
        assert found["test"] == trainer.checkpoint_callback.best_model_score.item()
    assert found["test"] < before / 4


if __name__ == "__main__":
    test_fit_and_test()
