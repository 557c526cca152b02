total = first + \
    second * 2 + \
    third
print(total)
