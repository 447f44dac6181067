import { IconX } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'
import { paths } from '#web/paths.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { LogoMark } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import { menuFor, trailTo, type MenuItem } from '../menu.ts'
import { roleNames } from '../roleNames.ts'
import { layout, useLayout } from '../store.ts'
import { useUser } from '../useSession.ts'

/** Side navigation: a column, a rail of icons, or a drawer over the page. */
export function Sidenav() {
  const { size, isMenuOpen, hasUserBox } = useLayout()
  const isOffcanvas = size === 'offcanvas'
  const list = useRef<HTMLDivElement>(null)
  useScrollToActive(list)
  const modal = isMenuOpen
    ? { role: 'dialog', 'aria-modal': true, 'aria-label': 'Main navigation' }
    : { role: 'complementary', 'aria-label': 'Side navigation' }
  return (
    <div id="sidenav" className="nav" data-part="sidenav" inert={isOffcanvas && !isMenuOpen} {...modal}>
      <div className="nav-head">
        <Link to={paths.dashboard()} className="logo" aria-label={`${product.name} dashboard`}>
          <LogoMark />
          <span className="logo-name">{product.name}</span>
        </Link>
        {isOffcanvas && (
          <button
            type="button"
            className="nav-close"
            aria-label="Close the menu"

            onClick={() => layout.setMenuOpen(false)}
          >
            <IconX size={20} aria-hidden />
          </button>
        )}
      </div>
      {hasUserBox && <UserBox />}
      <div className="nav-scroll" ref={list}>
        <nav aria-label="Main">
          <MenuList />
        </nav>
      </div>
    </div>
  )
}

function MenuList() {
  const items = menuFor(useUser().role)
  const path = useLocation({ select: ({ pathname }) => pathname })
  return <MenuItems items={items} active={trailTo(items, path).at(-1)} />
}

type MenuItemsProps = { items: readonly MenuItem[]; active: string | undefined }

function MenuItems({ items, active }: MenuItemsProps) {
  return (
    <ul>
      {items.map((item) => (
        <li key={item.key}>
          {item.url === undefined ? (
            <p className="nav-title">{item.label}</p>
          ) : (
            <MenuLink item={item} isActive={item.key === active} />
          )}
          {item.children && <MenuItems items={item.children} active={active} />}
        </li>
      ))}
    </ul>
  )
}

function MenuLink({ item, isActive }: { item: MenuItem; isActive: boolean }) {
  const { size } = useLayout()
  const { label, icon: Icon, url } = item
  return (
    <Link
      to={url ?? paths.dashboard()}
      className="nav-link"
      activeProps={{}}
      aria-current={isActive ? 'page' : undefined}
      data-active={isActive || undefined}
      onClick={() => size === 'offcanvas' && layout.setMenuOpen(false)}
    >
      {Icon && <Icon size={20} stroke={1.6} aria-hidden />}
      <span className="nav-label">{label}</span>
    </Link>
  )
}

function UserBox() {
  const user = useUser()
  return (
    <div className="nav-user">
      <Avatar name={user.name} size={36} />
      <div>
        <p className="nav-user-name">{user.name}</p>
        <p className="nav-user-role">{roleNames[user.role]}</p>
      </div>
    </div>
  )
}

/** Brings the active item into view: 100 ms after mounting, over 500 ms (specification, section 2). */
function useScrollToActive(list: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    let frame = 0
    const timer = setTimeout(() => {
      const box = list.current
      const link = box?.querySelector<HTMLElement>('[aria-current=page]')
      if (!box || !link) return
      const most = box.scrollHeight - box.clientHeight
      const target = Math.min(Math.max(link.offsetTop - 0.4 * innerHeight, 0), most)
      const from = box.scrollTop
      const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 500
      const start = performance.now()
      const move = (now: number) => {
        const share = duration === 0 ? 1 : Math.min((now - start) / duration, 1)
        const eased = share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2
        box.scrollTop = from + (target - from) * Math.max(eased, 0)
        if (share < 1) frame = requestAnimationFrame(move)
      }
      if (target !== from) frame = requestAnimationFrame(move)
    }, 100)
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
  }, [list])
}
