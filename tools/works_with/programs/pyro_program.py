"""A posterior found by variational inference and by NUTS is the one that algebra gives."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal


def model(data):
    mean = pyro.sample("mean", dist.Normal(0.0, 10.0))
    with pyro.plate("data", len(data)):
        pyro.sample("seen", dist.Normal(mean, 1.0), obs=data)


def data_and_posterior():
    pyro.set_rng_seed(0)
    pyro.clear_param_store()
    data = 3 + torch.randn(40)
    precision = 40 + 1 / 100
    return data, data.sum().item() / precision, precision**-0.5


def test_variational_inference():
    data, mean, deviation = data_and_posterior()
    guide = AutoNormal(model)
    inference = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO(num_particles=2))
    for _ in range(300):
        inference.step(data)
    assert abs(guide.median()["mean"].item() - mean) < 0.1
    assert abs(pyro.param("AutoNormal.scales.mean").item() - deviation) < 0.06


def test_nuts():
    data, mean, deviation = data_and_posterior()
    chain = MCMC(NUTS(model), num_samples=100, warmup_steps=60, disable_progbar=True)
    chain.run(data)
    drawn = chain.get_samples()["mean"]
    assert abs(drawn.mean().item() - mean) < 0.1
    assert abs(drawn.std().item() - deviation) < 0.06


if __name__ == "__main__":
    test_variational_inference()
    test_nuts()
