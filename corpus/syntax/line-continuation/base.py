total = first + \
    second + \
    third
print(total)
