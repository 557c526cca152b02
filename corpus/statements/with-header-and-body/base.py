def step(model, batch):
    with autocast():
        loss = model(batch)
        loss.backward()
