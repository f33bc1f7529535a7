from aiohttp import web
async def show(request): return web.Response(text='x')
add=take_in=one=edit=remove=retry=delete=send=show
