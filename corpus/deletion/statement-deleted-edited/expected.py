def shutdown(server):
    server.stop_accepting()
<<<<<<< ours
||||||| base
    server.drain(timeout=10)
=======
    server.drain(timeout=30)
>>>>>>> theirs
    server.close()
