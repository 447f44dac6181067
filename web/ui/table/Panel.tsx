import { Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { IconButton } from '../IconButton.tsx'
import { useState } from 'react'
import { closeFlyout } from '../overlays/Flyout.tsx'
import { Segments } from '../figures/Segments.tsx'
import {
  densities,
  inOrder,
  isChosen,
  shown,
  usual,
  type ColumnChoice,
  type Density,
  type Look,
} from './choice.ts'
import classes from './Panel.module.css'
import shapes from '../look/shapes.module.css'

export type Choosable = {
  key: string
  header: string
  isName?: boolean
  isExtra?: boolean
  isUniform?: boolean
  from?: 'md' | 'lg'
  phone?: 'line' | 'end'
}
type Props = {
  /** Of the flyout around it. */
  id: string
  columns: readonly Choosable[]
  look: Look
  /** What has changed; `usual` when everything goes back to how it was. */
  onLook: (look: Partial<Look>) => void
}

const labels: Record<Density, string> = { compact: 'Compact', normal: 'Normal', wide: 'Wide' }

/** Density of all tables, and the columns of this one. Everything takes effect at once and is remembered. */
export function Panel({ id, columns, look, onLook }: Props) {
  return (
    <>
      <Segments
        className={classes.density}
        legend="Density of all tables"
        options={densities.map((one) => ({ value: one, label: labels[one] }))}
        value={look.density}
        onChange={(density) => onLook({ density })}
      />
      <ColumnChoices columns={columns} choice={look.columns} onLook={onLook} />
      <footer>
        <Button variant="default" size="xs" onClick={() => onLook(usual)}>
          Reset
        </Button>
        <Button variant="default" size="xs" onClick={() => closeFlyout(id)}>
          Close
        </Button>
      </footer>
    </>
  )
}

type ColumnProps = Pick<Props, 'columns' | 'onLook'> & { choice: ColumnChoice }

function ColumnChoices({ columns, choice, onLook }: ColumnProps) {
  const [said, say] = useState('')
  const ordered = inOrder(columns, choice)
  const free = ordered.filter(({ isName }) => !isName)
  const keys = free.map(({ key }) => key)
  const visible = new Set(shown(columns, choice).map(({ key }) => key))
  const hasPlaces = columns.some(({ phone }) => phone)
  const isHidden = (key: string) => !visible.has(key)
  const show = (wanted: string, isShown: boolean) =>
    onLook({
      columns: { order: keys, hidden: keys.filter((key) => (key === wanted ? !isShown : isHidden(key))) },
    })
  const move = ({ key, header }: Choosable, to: number) => {
    const order = keys.filter((one) => one !== key).toSpliced(to, 0, key)
    onLook({ columns: { order, hidden: keys.filter(isHidden) } })
    say(`${header} is now number ${to + 1} of ${keys.length}.`)
  }
  return (
    <fieldset className={classes.columns}>
      <legend>Columns</legend>
      <p className={shapes.hint}>{ordered.find(({ isName }) => isName)?.header} always comes first.</p>
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
                {column.isUniform && !isChosen(choice) && <small data-uniform> the same in every row</small>}
                {column.from && <small data-from={column.from}> not at this width</small>}
                {hasPlaces && !column.phone && !column.isExtra && (
                  <small data-from="phone"> not at this width</small>
                )}
              </span>
            </label>
            <Move column={column} index={index} count={keys.length} onMove={move} />
          </li>
        ))}
      </ol>
      <p className={shapes.sr} role="status">
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
      <IconButton
        key={way}
        tone="quiet"
        size={28}
        icon={Icon}
        label={`Move ${column.header} ${way}`}
        title={`Move ${way}`}
        cannot={isEnd && why}
        onClick={() => onMove(column, to)}
      />
    )
  })
}
