import { IconDots } from '@tabler/icons-react'
import { Children, createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { Flyout, FlyoutButton, leaveFlyout } from './Flyout.tsx'
import { formatDateTime } from './format.ts'
import { product } from './product.ts'
import { useTakenByMenu } from './pageMenu.ts'
import { usePhone } from './usePhone.ts'
import classes from './PageHead.module.css'
import shapes from './shapes.module.css'

type Props = {
  title: string
  /** What the heading says in place of the title, which then stands above it and in the browser's tab; null: not known yet. */
  answer?: string | null | undefined
  /** Which of the pages under one title this is; the browser's tab alone says it. */
  part?: string | undefined
  /** A small picture beside the title. */
  mark?: ReactNode
  /** One short line below the title. */
  lead?: ReactNode
  /** Links to the pages above this one, outermost first; the page itself follows them. */
  crumbs?: ReactNode
  /** What the page is called there, where that is not its title. */
  here?: string
  /** The primary action: on a phone its icon alone, at the end of the title's line. */
  actions?: ReactNode
  /** Secondary actions, which stand before it; on a phone behind three dots. */
  more?: ReactNode
}

/** Title of the page and of the browser's tab. The heading takes the focus after a navigation. */
export function PageHead({ title, answer, part, mark, lead, crumbs, here = title, actions, more }: Props) {
  const isPhone = usePhone()
  const isTold = here === title && !answer
  return (
    <header className={`${shapes.row} ${classes.head}`}>
      <title>{[part, title, product.name].filter(Boolean).join(' · ')}</title>
      {mark}
      <div className={`${shapes.row} ${classes.text}`}>
        {(crumbs || answer) && (
          <nav
            aria-label="Breadcrumb"
            data-part="crumbs"
            className={classes.crumbs}
            data-above={Boolean(answer) || undefined}
          >
            <ol className={shapes.row}>
              {Children.map(crumbs, (crumb) => (
                <li>{crumb}</li>
              ))}
              <li
                aria-current="page"
                data-unseen={isTold || undefined}
                className={isTold ? shapes.sr : undefined}
              >
                {here}
              </li>
            </ol>
          </nav>
        )}
        {/* The room of the line above it, so that nothing moves when the answer comes. */}
        {answer === null && <span style={{ height: 16 }} />}
        <h1 tabIndex={-1}>{answer ?? title}</h1>
        {lead && <p className={shapes.lead}>{lead}</p>}
        <Printed />
      </div>
      {(actions || more) && (
        <div
          className={`${shapes.row} ${classes.actions}`}
          role="group"
          aria-label="Actions"
          data-part="actions"
        >
          {more && isPhone ? <MoreActions>{more}</MoreActions> : more}
          {actions}
        </div>
      )}
    </header>
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
    const later = setTimeout(() => void import('./print.css').catch(() => undefined), 2_000)
    return () => clearTimeout(later)
  }, [])
  useEffect(() => {
    const renew = () => flushSync(() => setNow(new Date()))
    addEventListener('beforeprint', renew)
    return () => removeEventListener('beforeprint', renew)
  }, [])
  return (
    <p data-print-only hidden>
      {product.name}, {formatDateTime(now.toISOString())}
      {reader && `, for ${reader}`}
    </p>
  )
}
