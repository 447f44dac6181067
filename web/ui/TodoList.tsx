import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatDate } from './format.ts'
import { tip } from './overlays/tips.ts'
import shapes from './look/shapes.module.css'
import classes from './look/part.module.css'

/** A matter that somebody should look after. */
export type Todo<Id extends string = string> = {
  id: Id
  tone: 'danger' | 'warning' | 'info'
  /** What is the matter, and what to do about it. */
  says: string
  todo: string
  /** To where it is done. */
  way: { to: string; search: Record<string, string>; label: string } | undefined
  samples: readonly {
    id: string
    name: string
    to: string | undefined
    search?: Record<string, string> | undefined
  }[]
  /** There are more than the samples. */
  hasMore: boolean
  /** Until when the reader does not want to see it. */
  hiddenUntil: string | null
}

type Hiding<Id extends string> = { isBusy: boolean; onHide: (id: Id) => void; onShow: (id: Id) => void }

const icons = { danger: IconCircleX, warning: IconAlertTriangle, info: IconInfoCircle }

/** So many are shown at once: the rest of the page is worth a look too. */
const mostShown = 5

/** What somebody should do, the most urgent first, each with the way to where it is done. */
export function TodoList<Id extends string>({
  todos,
  ...hiding
}: Hiding<Id> & { todos: readonly Todo<Id>[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = todos.filter(({ hiddenUntil }) => hiddenUntil === null)
  const hidden = todos.filter(({ hiddenUntil }) => hiddenUntil !== null)
  // A single one more takes no more room than the button.
  const isLong = shown.length > mostShown + 1
  const listed = isLong && !isWhole ? shown.slice(0, mostShown) : shown
  return (
    <section className={`${shapes.card} ${classes.part}`} aria-labelledby="attention">
      <header className={shapes.spaceBetween}>
        <h2 id="attention">Needs attention</h2>
        {shown.length > 0 && <p>{shown.length}</p>}
      </header>
      {shown.length === 0 ? (
        <p className={`${shapes.row} ${classes.calm}`}>
          <IconCircleCheck size={20} aria-hidden />
          {hidden.length > 0 ? 'Nothing else.' : 'Nothing. Everybody can be reached, and nothing is stuck.'}
        </p>
      ) : (
        <ul className={classes.todo}>
          {listed.map((todo) => (
            <Item key={todo.id} item={todo} {...hiding} />
          ))}
        </ul>
      )}
      {isLong && (
        <footer className={classes.all} data-screen-only>
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show the most urgent only' : `Show ${shown.length - mostShown} more`}
          </button>
        </footer>
      )}
      {hidden.length > 0 && <Hidden items={hidden} {...hiding} />}
    </section>
  )
}

function Item<Id extends string>({ item, isBusy, onHide }: Hiding<Id> & { item: Todo<Id> }) {
  const { id, tone, says, todo, way, samples, hasMore } = item
  const Icon = icons[tone]
  return (
    <li data-tone={tone}>
      <Icon size={20} aria-hidden />
      <div>
        <p className={classes.matter}>{says}</p>
        <p>{todo}</p>
        {samples.length > 0 && (
          <p>
            {samples.map((one, at) => (
              <span key={one.id}>
                {at > 0 && ', '}
                {one.to ? (
                  <Link to={one.to} search={one.search ?? {}}>
                    {one.name}
                  </Link>
                ) : (
                  one.name
                )}
              </span>
            ))}
            {hasMore && ' and others'}
          </p>
        )}
      </div>
      <div className={classes.ways} data-screen-only>
        {way && (
          <Link to={way.to} search={way.search} aria-label={`${way.label}: ${says}`}>
            {way.label}
          </Link>
        )}
        <button
          type="button"
          disabled={isBusy}
          aria-label={`Hide for a week: ${says}`}
          {...tip('It comes back sooner when there is more of it')}
          onClick={() => onHide(id)}
        >
          Hide for a week
        </button>
      </div>
    </li>
  )
}

function Hidden<Id extends string>({ items, isBusy, onShow }: Hiding<Id> & { items: readonly Todo<Id>[] }) {
  return (
    <details className={classes.hidden} data-screen-only>
      <summary>{items.length} hidden</summary>
      <ul>
        {items.map(({ id, says, hiddenUntil }) => (
          <li key={id}>
            <span>
              {says}, hidden until {hiddenUntil && formatDate(hiddenUntil)}
            </span>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Show again: ${says}`}
              onClick={() => onShow(id)}
            >
              Show again
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
