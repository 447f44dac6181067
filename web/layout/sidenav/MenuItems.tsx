import { IconChevronDown } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import { useId, useRef, type ComponentProps } from 'react'
import { isPublicPage, type MenuItem } from '../menu.ts'
import { useMenu } from './menuState.ts'
import type { Path } from './useAccordion.ts'
import { usePlace } from './useFlyouts.ts'
import { tip } from '#web/ui/overlays/tips.ts'
import classes from './MenuItems.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type AnchorProps = ComponentProps<'a'> & { isCurrent?: boolean; 'data-top'?: true | undefined }

/** The router would mark every link above the page as current; the menu marks one. */
function Anchor({ isCurrent, 'aria-current': _above, children, ...props }: AnchorProps) {
  return (
    <a {...props} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  )
}
export const PlainLink = createLink(Anchor)

/** As an attribute: only items of the top level are drawn as icons alone. */
const isTop = (path: Path) => path.length === 1 || undefined

type ItemProps = { item: MenuItem; path: Path }

/** Items of one level, below the group that `path` leads to. */
export function MenuItems({ items, path }: { items: readonly MenuItem[]; path: Path }) {
  return items.map((item) => {
    if (item.isTitle) return <Section key={item.key} item={item} path={path} />
    const own = [...path, item.key]
    return item.children ? (
      <Group key={item.key} item={item} path={own} />
    ) : (
      <Leaf key={item.key} item={item} path={own} />
    )
  })
}

function Section({ item, path }: ItemProps) {
  const id = useId()
  return (
    <li className={classes.section}>
      <h2 id={id} className={classes.title}>
        {item.label}
      </h2>
      <ul aria-labelledby={id}>
        <MenuItems items={item.children ?? []} path={path} />
      </ul>
    </li>
  )
}

function Group({ item, path }: ItemProps) {
  const { shape, trail, isOpen, press, listen } = useMenu()
  const id = useId()
  const row = useRef<HTMLLIElement>(null)
  const isShown = isOpen(path)
  const isAbove = path.every((key, depth) => trail[depth] === key)
  usePlace(row, isShown ? sideOf(shape, path) : undefined)
  return (
    <li ref={row} data-open={isShown || undefined} {...listen(path)}>
      <button
        type="button"
        className={classes.link}
        data-top={isTop(path)}
        aria-expanded={isShown}
        aria-controls={id}
        data-above={isAbove || undefined}
        onClick={(event) => press(path, event)}
      >
        <Face item={item} />
        {!item.badge && <IconChevronDown className={classes.arrow} size={16} aria-hidden />}
      </button>
      <div id={id} data-panel className={classes.panel}>
        <p className={classes.panelTitle} aria-hidden>
          {item.label}
        </p>
        <ul>
          <MenuItems items={item.children ?? []} path={path} />
        </ul>
      </div>
    </li>
  )
}

/** Where what flies out lies; in a column nothing does. */
function sideOf(shape: string, path: Path): 'beside' | 'below' | undefined {
  if (shape === 'column') return undefined
  return shape === 'bar' && path.length === 1 ? 'below' : 'beside'
}

function Leaf({ item, path }: ItemProps) {
  const { shape, isOpen, listen } = useMenu()
  const row = useRef<HTMLLIElement>(null)
  const isLabelled = shape === 'rail' && path.length === 1 && isOpen(path)
  usePlace(row, isLabelled ? 'beside' : undefined)
  return (
    <li ref={row} data-open={isLabelled || undefined} {...listen(path)}>
      <MenuLink item={item} path={path} />
    </li>
  )
}

function MenuLink({ item, path }: ItemProps) {
  const { trail, follow } = useMenu()
  const { url, isDisabled, isSpecial } = item
  if (url === undefined || isDisabled)
    return (
      <Anchor
        className={classes.link}
        data-top={isTop(path)}
        role="link"
        aria-disabled
        {...tip('Not available')}
      >
        <Face item={item} />
      </Anchor>
    )
  const isCurrent = path.length === trail.length && path.every((key, depth) => trail[depth] === key)
  const props = {
    className: classes.link,
    'data-top': isTop(path),
    'data-special': isSpecial || undefined,
    isCurrent,
    onClick: follow,
  }
  return isPublicPage(url) ? (
    <Anchor href={url} {...props}>
      <Face item={item} />
    </Anchor>
  ) : (
    <PlainLink to={url} {...props}>
      <Face item={item} />
    </PlainLink>
  )
}

function Face({ item: { label, icon: Icon, badge } }: { item: MenuItem }) {
  return (
    <>
      {Icon && <Icon size={20} stroke={1.6} aria-hidden />}
      <span className={`${shapes.grow} ${classes.label}`} data-label>
        {label}
      </span>
      {badge && (
        <span className={classes.badge} data-tone={badge.variant}>
          {badge.text}
        </span>
      )}
    </>
  )
}
