import { IconDots } from '@tabler/icons-react'
import { Children, createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { Flyout, FlyoutButton, leaveFlyout } from './overlays/Flyout.tsx'
import { formatDateTimeOfYear } from './format.ts'
import { cornerForMenu, useTakenByMenu } from './overlays/pageMenu.ts'
import { product } from './product.ts'
import { Bone } from './feedback/Skeletons.tsx'
import { usePhone } from './browser/usePhone.ts'
import classes from './PageHead.module.css'
import shapes from './look/shapes.module.css'

type Props = {
  /** null: not known yet. */
  title: string | null
  /** What the heading says in place of the title, which then stands above it and in the browser's tab; null: not known yet. */
  answer?: string | null | undefined
  /** Which of the pages under one title this is; the browser's tab alone says it. */
  part?: string | undefined
  /** A small picture beside the title. */
  mark?: ReactNode
  /** One short line below the title; null: not known yet. */
  lead?: ReactNode
  /** Links to the pages above this one, outermost first; the page itself follows them. */
  crumbs?: ReactNode
  /** What the page is called there, where that is not its title. */
  here?: string | null
  /** The primary action, the only filled one: on a phone below the lead. */
  actions?: ReactNode
  /** At most two secondary actions, which stand before it; on a phone behind three dots. */
  more?: ReactNode
  /** What is seldom done: behind three dots everywhere. */
  seldom?: ReactNode
}

/**
 * Three lines at every width: the way down to the page, its title, and what is said of it; the first is there where it is empty too, so
 * that all titles stand at one height. Title of the browser's tab as well. The heading takes the focus after a navigation.
 */
export function PageHead(props: Props) {
  const { title, answer, part, mark, lead, crumbs, here = title, actions, more, seldom } = props
  const isPhone = usePhone()
  const isTold = here === title && !answer
  const hidden = isPhone && more ? [more, seldom] : seldom
  const dots = hidden && <MoreActions>{hidden}</MoreActions>
  return (
    <header className={classes.head}>
      <title>{[part, title, product.name].filter(Boolean).join(' · ')}</title>
      {(crumbs || answer !== undefined) && (
        <nav aria-label="Breadcrumb" data-part="crumbs" className={classes.crumbs}>
          <ol>
            {Children.map(crumbs, (crumb) => (
              <li>{crumb}</li>
            ))}
            <li aria-current="page" className={isTold ? shapes.sr : undefined}>
              <span>{here}</span>
            </li>
          </ol>
        </nav>
      )}
      {mark && <div className={classes.mark}>{mark}</div>}
      <h1 tabIndex={-1}>{title === null ? <Coming width={240} height={20} /> : (answer ?? title)}</h1>
      {lead === null ? (
        <p>
          <Coming width={320} height={12} />
        </p>
      ) : (
        lead && <p>{lead}</p>
      )}
      <Printed />
      {(actions || (!isPhone && (more || seldom))) && (
        <div
          className={`${shapes.row} ${classes.actions}`}
          role="group"
          aria-label="Actions"
          data-part="actions"
        >
          {!isPhone && more}
          {actions}
          {!isPhone && dots}
        </div>
      )}
      {isPhone && (
        <div ref={cornerForMenu} className={classes.corner}>
          {dots}
        </div>
      )}
    </header>
  )
}

/** In place of words. */
function Coming({ width, height }: { width: number; height: number }) {
  return (
    <>
      <Bone width={`min(${width}px, 100%)`} height={height} />
      <span className={shapes.sr}>Loading</span>
    </>
  )
}

function MoreActions({ children }: { children: ReactNode }) {
  const { isTaken, place } = useTakenByMenu()
  const isPhone = usePhone()
  // What was pressed may open a dialog, from which the focus comes back to the three dots.
  const actions = (
    <div
      className={classes.more}
      role="presentation"
      onClick={({ currentTarget }) => leaveFlyout(currentTarget)}
    >
      {children}
    </div>
  )
  if (isPhone && place) return createPortal(actions, place)
  if (isPhone && isTaken) return null
  return (
    <FlyoutButton icon={<IconDots size={18} aria-hidden />} name="More actions">
      {(id) => (
        <Flyout id={id} label="More actions">
          {actions}
        </Flyout>
      )}
    </FlyoutButton>
  )
}

/** Who prints, and whose figures: "Ada Admin, Northwind". */
export const PrintedFor = createContext('')

/** On paper: of when it is, and who printed it. */
function Printed() {
  const reader = use(PrintedFor)
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    // Nobody prints in the first moment: what only paper needs comes after the page.
    const later = setTimeout(() => void import('./look/print.css').catch(() => undefined), 2_000)
    return () => clearTimeout(later)
  }, [])
  useEffect(() => {
    const renew = () => flushSync(() => setNow(new Date()))
    addEventListener('beforeprint', renew)
    return () => removeEventListener('beforeprint', renew)
  }, [])
  return (
    <p data-print-only hidden>
      {product.name}, {formatDateTimeOfYear(now.toISOString())}
      {reader && `, for ${reader}`}
    </p>
  )
}
