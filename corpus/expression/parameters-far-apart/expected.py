def save_checkpoint(iteration: int, model, optimizer, scheduler, path: Path):
    state = {"iteration": iteration, "model": model.state_dict()}
    torch.save(state, path)
