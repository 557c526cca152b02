def train(
    model,
    data,
    epochs=10,
    device="cpu",
):
    for _ in range(epochs):
        model.fit(data, device)
