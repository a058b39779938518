import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))


def update(agent, actor_opt, critic_opt, states, actions, returns):
    values = agent.critic(states).squeeze(-1)
    advantage = returns - values
    critic_loss = advantage.pow(2).mean()
    critic_opt.zero_grad()
    critic_loss.backward(retain_graph=True)
    critic_opt.step()
    log_prob = Categorical(logits=agent.actor(states)).log_prob(actions)
    actor_loss = -(log_prob * advantage).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()


torch.manual_seed(0)
agent = Agent()
actor_opt = torch.optim.Adam(agent.actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(agent.critic.parameters(), lr=1e-3)
update(agent, actor_opt, critic_opt, torch.randn(5, 3), torch.randint(0, 2, (5,)), torch.randn(5))
