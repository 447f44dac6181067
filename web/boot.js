// Sets the attributes of <html> before the first paint, so that nothing jumps or flashes. Says the same as
// web/layout/attributes.ts, which a test holds it to. The build writes it into the pages.
;(function () {
  var given = {}
  try {
    given = JSON.parse(localStorage.getItem('layout')) || {}
  } catch {
    given = {}
  }
  var sidenav = given.sidenav || {}
  var topBar = given.topBar || {}
  function one(list, value) {
    return list.indexOf(value) < 0 ? list[0] : value
  }
  function is(query) {
    return matchMedia(query).matches
  }
  var isHorizontal = given.orientation === 'horizontal'
  var chosen = one(
    ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'],
    sidenav.size,
  )
  var size = chosen
  if (isHorizontal) size = is('(max-width: 991.98px)') ? 'offcanvas' : 'default'
  else if (is('(max-width: 767.98px)')) size = 'offcanvas'
  else if (is('(max-width: 1140px)')) size = chosen === 'offcanvas' ? 'offcanvas' : 'condensed'
  var theme = one(['light', 'dark', 'system'], given.theme)
  if (theme === 'system') theme = is('(prefers-color-scheme: dark)') ? 'dark' : 'light'
  var values = {
    'data-skin': one(['classic', 'material', 'modern', 'saas', 'flat', 'minimal'], given.skin),
    'data-bs-theme': theme,
    'data-mantine-color-scheme': theme,
    'data-topbar-color': one(['light', 'dark', 'gray', 'gradient'], topBar.color),
    'data-menu-color': one(['dark', 'light', 'gray', 'gradient', 'image'], sidenav.color),
    'data-sidenav-size': size,
    'data-sidenav-user': String(sidenav.user !== false),
    'data-layout-position': one(['fixed', 'scrollable'], given.position),
    'data-layout-width': one(['fluid', 'boxed'], given.width),
    'data-layout': isHorizontal ? 'topnav' : '',
  }
  for (var name in values) document.documentElement.setAttribute(name, values[name])
  // The page names the fonts of all skins; only those of the skin in use are wanted at once.
  document.querySelectorAll('link[data-font-of=' + values['data-skin'] + ']').forEach(function (link) {
    link.media = 'all'
  })
})()
