"""A network is an estimator of scikit-learn: in a pipeline, a search over parameters, and a pickle."""

import pickle

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import EarlyStopping, EpochScoring
from torch import nn


class Classifier(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))

    def forward(self, x):
        return self.layers(x)


def test_a_search_over_parameters():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x, y = x[:600].astype(np.float32), y[:600].astype(np.int64)
    network = NeuralNetClassifier(
        Classifier, criterion=nn.CrossEntropyLoss, optimizer=torch.optim.Adam, lr=0.01, max_epochs=12,
        train_split=None, verbose=0, device="cpu",
    )  # fmt: skip
    pipeline = make_pipeline(MinMaxScaler(), network)
    search = GridSearchCV(pipeline, {"neuralnetclassifier__module__width": [4, 32]}, cv=2, refit=True)
    search.fit(x, y)
    assert search.best_params_ == {"neuralnetclassifier__module__width": 32}
    assert search.best_score_ > 0.8
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(x[:50]), search.predict(x[:50]))
    assert np.allclose(search.predict_proba(x[:5]).sum(1), 1, atol=1e-5)


def test_callbacks_and_history():
    torch.manual_seed(0)
    x = np.linspace(-1, 1, 200, dtype=np.float32)[:, None]
    y = x**2
    network = NeuralNetRegressor(
        nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1)), optimizer=torch.optim.Adam, lr=0.02,
        max_epochs=60, verbose=0, iterator_train__shuffle=True, train_split=None, batch_size=32,
        callbacks=[
            EpochScoring("r2", lower_is_better=False, on_train=True),
            EarlyStopping("train_loss", patience=30),
        ],
    )  # fmt: skip
    network.fit(x, y)
    losses = network.history[:, "train_loss"]
    assert losses[-1] < losses[0] / 10
    assert network.score(x, y) > 0.9


if __name__ == "__main__":
    test_a_search_over_parameters()
    test_callbacks_and_history()
