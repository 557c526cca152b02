HOST = 'a'
PORT = 80
