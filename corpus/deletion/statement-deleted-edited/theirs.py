def shutdown(server):
    server.stop_accepting()
    server.drain(timeout=30)
    server.close()
