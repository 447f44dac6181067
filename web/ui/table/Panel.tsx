import { ActionIcon, Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { densities, inOrder, tables, useTableChoice, type Density } from './choice.ts'
import './panel.css'

export type Choosable = { key: string; header: string; isName?: boolean; from?: 'md' | 'lg' }
type Props = { id: string; table: string; columns: readonly Choosable[] }

const labels: Record<Density, string> = { compact: 'Compact', normal: 'Normal', wide: 'Wide' }

/** Density of all tables, and the columns of this one. Everything takes effect at once and is remembered. */
export function Panel({ id, table, columns }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.showPopover(), [])
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      className="ui-view-panel"
      role="dialog"
      aria-label="View of the table"
      tabIndex={-1}
      onToggle={({ newState }) => newState === 'open' && arrive(panel.current)}
    >
      <DensityChoice />
      <ColumnChoices table={table} columns={columns} />
      <footer>
        <Button variant="default" size="xs" onClick={() => tables.reset(table)}>
          Reset
        </Button>
        <Button variant="default" size="xs" onClick={() => panel.current?.hidePopover()}>
          Close
        </Button>
      </footer>
    </div>
  )
}

/** Below its button, at the end of it, inside the window; it scrolls along with the page. */
function arrive(panel: HTMLElement | null): void {
  const button = panel?.parentElement?.getBoundingClientRect()
  if (!panel || !button) return
  const { clientWidth, dir } = document.documentElement
  const start = dir === 'rtl' ? button.left : button.right - panel.offsetWidth
  const inside = Math.max(8, Math.min(start, clientWidth - panel.offsetWidth - 8))
  // Places on the screen are the same in every direction of writing.
  panel.style.setProperty('left', `${inside + scrollX}px`)
  panel.style.setProperty('top', `${button.bottom + 4 + scrollY}px`)
  const room = Math.max(Math.min(480, innerHeight - 96), innerHeight - button.bottom - 12)
  panel.style.setProperty('max-height', `${room}px`)
  panel.scrollIntoView({ block: 'nearest' })
  panel.focus({ preventScroll: true })
}

function DensityChoice() {
  const { density } = useTableChoice(undefined)
  return (
    <fieldset className="ui-view-density">
      <legend>Density of all tables</legend>
      <div>
        {densities.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="table-density"
              checked={one === density}
              onChange={() => tables.setDensity(one)}
            />
            <span>{labels[one]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function ColumnChoices({ table, columns }: Omit<Props, 'id'>) {
  const choice = useTableChoice(table).columns
  const [said, say] = useState('')
  const ordered = inOrder(columns, choice)
  const free = ordered.filter(({ isName }) => !isName)
  const keys = free.map(({ key }) => key)
  const isHidden = (key: string) => choice.hidden.includes(key)
  const show = (key: string, isShown: boolean) =>
    tables.setColumns(table, {
      order: keys,
      hidden: isShown ? choice.hidden.filter((one) => one !== key) : [...choice.hidden, key],
    })
  const move = ({ key, header }: Choosable, to: number) => {
    tables.setColumns(table, { ...choice, order: keys.filter((one) => one !== key).toSpliced(to, 0, key) })
    say(`${header} is now number ${to + 1} of ${keys.length}.`)
  }
  return (
    <fieldset className="ui-view-columns">
      <legend>Columns</legend>
      <p>{ordered.find(({ isName }) => isName)?.header} always comes first.</p>
      <ol>
        {free.map((column, index) => (
          <li key={column.key}>
            <label>
              <input
                type="checkbox"
                checked={!isHidden(column.key)}
                onChange={(event) => show(column.key, event.currentTarget.checked)}
              />
              <span>
                {column.header}
                {column.from && <small data-from={column.from}> not at this width</small>}
              </span>
            </label>
            <Move column={column} index={index} count={keys.length} onMove={move} />
          </li>
        ))}
      </ol>
      <p className="ui-sr" role="status">
        {said}
      </p>
    </fieldset>
  )
}

type MoveProps = {
  column: Choosable
  index: number
  count: number
  onMove: (column: Choosable, to: number) => void
}

function Move({ column, index, count, onMove }: MoveProps) {
  const steps = [
    { way: 'up', to: index - 1, Icon: IconArrowUp, why: 'This is the first' },
    { way: 'down', to: index + 1, Icon: IconArrowDown, why: 'This is the last' },
  ]
  return steps.map(({ way, to, Icon, why }) => {
    const isEnd = to < 0 || to >= count
    return (
      <ActionIcon
        key={way}
        variant="subtle"
        color="gray"
        size={28}
        aria-label={`Move ${column.header} ${way}`}
        title={isEnd ? why : `Move ${way}`}
        aria-disabled={isEnd}
        onClick={() => !isEnd && onMove(column, to)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    )
  })
}
