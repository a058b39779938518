"""An exact Gaussian process is fitted and predicts with its uncertainty; a variational one is trained."""

import math

import gpytorch
import torch


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, points):
        found = gpytorch.variational.CholeskyVariationalDistribution(len(points))
        super().__init__(gpytorch.variational.VariationalStrategy(self, points, found))
        self.mean = gpytorch.means.ZeroMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def data():
    torch.manual_seed(0)
    x = torch.linspace(0, 1, 40)
    return x, torch.sin(2 * math.pi * x) + 0.1 * torch.randn(40)


def test_exact():
    x, y = data()
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Exact(x, y, likelihood)
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model.train()
    likelihood.train()
    for _ in range(50):
        optimizer.zero_grad()
        loss = -marginal(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        near = likelihood(model(torch.tensor([0.125, 0.25, 0.5])))
        far = likelihood(model(torch.tensor([3.0])))
    wanted = torch.sin(2 * math.pi * torch.tensor([0.125, 0.25, 0.5]))
    assert (near.mean - wanted).abs().max() < 0.15
    assert far.stddev.item() > 3 * near.stddev.max().item()


def test_variational():
    x, y = data()
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Variational(torch.linspace(0, 1, 10))
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(x))
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.1)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = -bound(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.3


if __name__ == "__main__":
    test_exact()
    test_variational()
