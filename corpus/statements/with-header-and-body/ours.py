def step(model, batch):
    with autocast(), record("step"):
        loss = model(batch)
        loss.backward()
