"""Metrics gather batches in a collection, agree with counts made by hand, and give gradients."""

import torch
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassAUROC, MulticlassConfusionMatrix
from torchmetrics.functional.image import structural_similarity_index_measure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef


def test_classes_in_batches():
    torch.manual_seed(0)
    scores, labels = torch.randn(60, 3), torch.randint(0, 3, (60,))
    metrics = MetricCollection({
        "accuracy": MulticlassAccuracy(3, average="micro"),
        "auroc": MulticlassAUROC(3),
        "confusion": MulticlassConfusionMatrix(3),
    })
    for batch in range(0, 60, 20):
        metrics.update(scores[batch : batch + 20].softmax(1), labels[batch : batch + 20])
    found = metrics.compute()
    guesses = scores.argmax(1)
    assert found["accuracy"].item() == (guesses == labels).double().mean().float().item()
    counts = torch.zeros(3, 3, dtype=torch.long)
    counts.index_put_((labels, guesses), torch.tensor(1), accumulate=True)
    assert torch.equal(found["confusion"], counts)
    above = []
    for k in range(3):
        one, rest = scores.softmax(1)[labels == k, k], scores.softmax(1)[labels != k, k]
        above.append((one[:, None] > rest).double().mean())
    assert abs(found["auroc"].item() - torch.stack(above).mean().item()) < 1e-6


def test_numbers_and_their_gradient():
    torch.manual_seed(0)
    x, y = torch.randn(50, requires_grad=True), torch.randn(50)
    MeanSquaredError()(x, y).backward()
    torch.testing.assert_close(x.grad, 2 * (x - y).detach() / 50)
    correlation = PearsonCorrCoef()(x.detach(), y)
    torch.testing.assert_close(correlation, torch.corrcoef(torch.stack([x.detach(), y]))[0, 1])
    mean = MeanMetric()
    for value, weight in [(1.0, 1.0), (4.0, 3.0)]:
        mean.update(value, weight)
    assert mean.compute().item() == 3.25


def test_images():
    torch.manual_seed(0)
    image = torch.rand(2, 3, 32, 32)
    same = structural_similarity_index_measure(image, image, data_range=1.0)
    less = structural_similarity_index_measure(image, (image + 0.1 * torch.rand_like(image)), data_range=1.0)
    assert abs(same.item() - 1) < 1e-6
    assert 0 < less.item() < 1


if __name__ == "__main__":
    test_classes_in_batches()
    test_numbers_and_their_gradient()
    test_images()
