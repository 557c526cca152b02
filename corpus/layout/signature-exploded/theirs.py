def train(model, data, epochs=10, device="cpu", *, shuffle=True):
    for _ in range(epochs):
        model.fit(data, device, shuffle)
