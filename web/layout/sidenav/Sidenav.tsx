import { IconPin, IconPinFilled, IconX } from '@tabler/icons-react'
import { useRef, type RefObject } from 'react'
import { paths } from '#web/paths.ts'
import { LogoMark, LogoName } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import type { Size } from '../settings.ts'
import { layout, useLayout } from '../store.ts'
import { MenuItems, PlainLink } from './MenuItems.tsx'
import { useMenuKeys } from './menuKeys.ts'
import { MenuContext, type MenuState } from './menuState.ts'
import { useAccordion, type Path } from './useAccordion.ts'
import { useFlyouts } from './useFlyouts.ts'
import { UserBox } from './UserBox.tsx'
import { useMenuItems } from './useMenuItems.ts'
import { useScrollToActive } from './useScrollToActive.ts'
import { useWidening } from './useWidening.ts'
import logo from '#web/layout/logo.module.css'
import shapes from '#web/ui/shapes.module.css'
import classes from './Sidenav.module.css'

/** Side navigation: a column, a rail of icons, or a drawer over the page. */
export function Sidenav() {
  const { size, isMenuOpen, hasUserBox } = useLayout()
  const box = useRef<HTMLDivElement>(null)
  const { isWide, widen, listeners } = useWidening(box)
  const isNarrow = size === 'on-hover' && !isWide
  const isRail = size === 'condensed' || isNarrow
  const follow = () => isMenuOpen && layout.setMenuOpen(false)
  const modal = isMenuOpen
    ? { role: 'dialog', 'aria-modal': true, 'aria-label': 'Main navigation' }
    : { role: 'complementary', 'aria-label': 'Side navigation' }
  return (
    <div
      id="sidenav"
      ref={box}
      className={classes.nav}
      data-part="sidenav"
      data-rail={isRail || undefined}
      data-wide={(size === 'on-hover' && isWide) || undefined}
      inert={size === 'offcanvas' && !isMenuOpen}
      {...modal}
      {...listeners}
    >
      <Head size={size} />
      {hasUserBox && size !== 'condensed' && <UserBox onFollow={follow} />}
      <Menu size={size} widen={isNarrow ? widen : undefined} onFollow={follow} />
    </div>
  )
}

function Head({ size }: { size: Size }) {
  const isPinned = size === 'on-hover-active'
  const Pin = isPinned ? IconPinFilled : IconPin
  return (
    <div className={classes.head}>
      <PlainLink to={paths.dashboard()} className={logo.logo} aria-label={`${product.name} dashboard`}>
        <LogoMark />
        <LogoName className={`${shapes.cut} ${logo.name}`} />
      </PlainLink>
      {(isPinned || size === 'on-hover') && (
        <button
          type="button"
          className={classes.button}
          aria-label="Keep the menu open"
          aria-pressed={isPinned}
          onClick={layout.toggle}
        >
          <Pin size={20} aria-hidden />
        </button>
      )}
      {size === 'offcanvas' && (
        <button
          type="button"
          className={classes.button}
          data-close
          aria-label="Close the menu"
          onClick={() => layout.setMenuOpen(false)}
        >
          <IconX size={20} aria-hidden />
        </button>
      )}
    </div>
  )
}

type MenuProps = {
  size: Size
  /** There while the rail is too narrow for groups. */
  widen: (() => void) | undefined
  onFollow: () => void
}

function Menu({ size, widen, onFollow }: MenuProps) {
  const shape = size === 'condensed' ? 'rail' : 'column'
  const { items, trail } = useMenuItems(shape)
  const list = useRef<HTMLDivElement>(null)
  const accordion = useAccordion(trail)
  const { closeAll, ...flyouts } = useFlyouts(list, true)
  const press = (path: Path) => {
    if (!widen || !accordion.isOpen(path)) accordion.toggle(path)
    widen?.()
  }
  const isOpen = (path: Path) => !widen && accordion.isOpen(path)
  const state: MenuState =
    shape === 'rail'
      ? { ...flyouts, shape, trail, follow: closeAll }
      : { shape, trail, isOpen, press, listen: () => ({}), follow: onFollow }
  useMenuKeys(list, shape)
  return (
    <div className={classes.scroll} ref={list}>
      <ScrollToActive key={size} list={list} />
      <nav aria-label="Main" data-shape={shape}>
        <ul>
          <MenuContext value={state}>
            <MenuItems items={items} path={[]} />
          </MenuContext>
        </ul>
      </nav>
    </div>
  )
}

/** Once for each size, because the list has another height in each. */
function ScrollToActive({ list }: { list: RefObject<HTMLElement | null> }) {
  useScrollToActive(list)
  return null
}
