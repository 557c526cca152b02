ENDPOINTS = {
    'users': '/v1/users',
    'orders': '/v1/orders',
    'carts': '/v1/carts',
}
