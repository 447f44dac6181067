import { effectiveSize, effectiveTheme, type State } from './effective.ts'

/** The attributes of `<html>` that say how the page looks. `public/boot.js` sets the same before the first paint. */
export function attributesOf(state: State): Record<string, string> {
  const { saved } = state
  const theme = effectiveTheme(state)
  return {
    'data-skin': saved.skin,
    'data-bs-theme': theme,
    'data-mantine-color-scheme': theme,
    'data-topbar-color': saved.topBar.color,
    'data-menu-color': saved.sidenav.color,
    'data-sidenav-size': effectiveSize(state),
    'data-sidenav-user': String(saved.sidenav.user),
    'data-layout-position': saved.position,
    'data-layout-width': saved.width,
    'data-layout': saved.orientation === 'horizontal' ? 'topnav' : '',
  }
}

/** The only writer of these attributes after the start. */
export function writeAttributes(state: State): void {
  const html = document.documentElement
  for (const [name, value] of Object.entries(attributesOf(state)))
    if (html.getAttribute(name) !== value) html.setAttribute(name, value)
  html.classList.toggle('sidebar-enable', isMenuOpen(state))
}

export function isMenuOpen(state: State): boolean {
  return state.saved.sidenav.isMobileMenuOpen && effectiveSize(state) === 'offcanvas'
}
