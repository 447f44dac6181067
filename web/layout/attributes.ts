import { chosen, effectiveSize, effectiveTheme, type State } from './effective.ts'

/** The attributes of `<html>` that say how the page looks. `boot.js` sets the same before the first paint. */
export function attributesOf(state: State): Record<string, string> {
  const choices = chosen(state)
  const theme = effectiveTheme(state)
  return {
    'data-skin': choices.skin,
    'data-bs-theme': theme,
    'data-mantine-color-scheme': theme,
    'data-topbar-color': choices.topbarColor,
    'data-menu-color': choices.menuColor,
    'data-sidenav-size': effectiveSize(state),
    'data-sidenav-user': String(choices.user),
    'data-layout-position': choices.position,
    'data-layout-width': choices.width,
    'data-layout': choices.orientation === 'horizontal' ? 'topnav' : '',
  }
}

let written: readonly string[] = []

/** The only writer of these attributes after the start. */
export function writeAttributes(state: State): void {
  const html = document.documentElement
  for (const [name, value] of Object.entries(attributesOf(state)))
    if (html.getAttribute(name) !== value) html.setAttribute(name, value)
  const { classes = [] } = state.override
  html.classList.remove(...written)
  html.classList.add(...classes)
  written = classes
  html.classList.toggle('sidebar-enable', isMenuOpen(state))
}

export function isMenuOpen(state: State): boolean {
  return state.saved.sidenav.isMobileMenuOpen && effectiveSize(state) === 'offcanvas'
}
