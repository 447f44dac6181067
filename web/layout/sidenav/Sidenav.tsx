import { IconPin, IconPinFilled, IconX, IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react'
import { useRef, type RefObject, useEffect, useState, type FocusEvent, type PointerEvent } from 'react'
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
import { useMenuItems } from './useMenuItems.ts'
import logo from '#web/layout/logo.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import classes from './Sidenav.module.css'
import menu from '#web/ui/overlays/menu.module.css'
import { place } from '#web/ui/browser/place.ts'
import two from '#web/ui/look/twoLines.module.css'
import { signOut } from '../../session/leave.ts'
import { roleNames } from '../../session/roleNames.ts'
import { useUser } from '../../session/useSession.ts'

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

/** Who is signed in, with what concerns the person. */
function UserBox({ onFollow }: { onFollow: () => void }) {
  const user = useUser()
  const panel = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  /** Below the box, wherever the side navigation stands. */
  const lay = () => box.current && panel.current && place(panel.current, box.current, 'below')
  const follow = () => {
    panel.current?.hidePopover()
    onFollow()
  }
  return (
    <div className={classes.user} ref={box}>
      <div className={`${two.lines} ${classes.facts}`}>
        <p>{user.name}</p>
        <p>{roleNames[user.role]}</p>
      </div>
      <button type="button" className={classes.button} popoverTarget="nav-account" aria-label="Account menu">
        <IconSettings size={20} stroke={1.6} aria-hidden />
      </button>
      <section
        id="nav-account"
        className={classes.pop}
        popover="auto"
        aria-label="Account menu"
        ref={panel}
        onToggle={({ newState }) => newState === 'open' && lay()}
      >
        <p className={shapes.lead}>Welcome, {user.name}</p>
        <PlainLink className={menu.row} to={paths.settings()} onClick={follow}>
          <IconUserCircle size={16} aria-hidden />
          Profile
        </PlainLink>
        <button type="button" className={menu.row} onClick={() => void signOut()}>
          <IconLogout size={16} aria-hidden />
          Logout
        </button>
      </section>
    </div>
  )
}

/** Whether a narrow rail is wide for now: under the mouse, with the focus of the keyboard in it, or after a tap. */
function useWidening(box: RefObject<HTMLElement | null>) {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    if (!isWide) return
    const onPress = ({ target }: Event) =>
      !(target instanceof Node && box.current?.contains(target)) && setWide(false)
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setWide(false)
    document.addEventListener('pointerdown', onPress)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onPress)
      document.removeEventListener('keydown', onKey)
    }
  }, [box, isWide])
  const listeners = {
    onPointerEnter: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setWide(true),
    onPointerLeave: ({ pointerType, currentTarget }: PointerEvent) =>
      pointerType === 'mouse' && !currentTarget.querySelector(':focus-visible') && setWide(false),
    onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && setWide(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!stays && !currentTarget.matches(':hover')) setWide(false)
    },
  }
  return { isWide, widen: () => setWide(true), listeners }
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

const delay = 100
const duration = 500

const easeInOut = (share: number) => (share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2)

/** Where the list has to stand so that the active link is 40 % of the window below its top. */
function targetOf(list: HTMLElement, link: HTMLElement): number {
  const offset = link.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop
  const most = list.scrollHeight - list.clientHeight
  return Math.min(Math.max(offset - 0.4 * innerHeight, 0), most)
}

/**
 * Brings the active link into view: 100 ms after its caller is there, over 500 ms (specification, section 2). Whoever
 * scrolls meanwhile has it their way. With less motion it is one jump.
 */
function useScrollToActive(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = list.current
    if (!box) return
    let frame = 0
    const glide = (link: HTMLElement) => {
      const from = box.scrollTop
      const way = targetOf(box, link) - from
      const start = performance.now()
      const lasts = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : duration
      const move = (now: number) => {
        const share = lasts === 0 ? 1 : Math.max(0, Math.min((now - start) / lasts, 1))
        box.scrollTop = from + way * easeInOut(share)
        if (share < 1) frame = requestAnimationFrame(move)
      }
      if (way !== 0) move(start)
    }
    const timer = setTimeout(() => {
      const link = box.querySelector<HTMLElement>('[aria-current=page]')
      if (link) glide(link)
    }, delay)
    const cancel = () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
    box.addEventListener('wheel', cancel, { passive: true })
    box.addEventListener('touchstart', cancel, { passive: true })
    return () => {
      cancel()
      box.removeEventListener('wheel', cancel)
      box.removeEventListener('touchstart', cancel)
    }
  }, [list])
}

/** Once for each size, because the list has another height in each. */
function ScrollToActive({ list }: { list: RefObject<HTMLElement | null> }) {
  useScrollToActive(list)
  return null
}
