import { useId } from 'react'
import type { Role } from '#contract/roles.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { Switch } from '#web/ui/fields/Switch.tsx'
import { actions, placesFor, searchKeys, singleKeys, useSingleKeys, type Shortcut } from './keys.ts'
import { listedPageKeys } from './pageKeys.ts'
import caps from '../keys.module.css'
import classes from './Help.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** Once the focus is there; these keys work also while those of one letter are off. */
const walking: readonly Shortcut[] = [
  { keys: '← →', label: 'From point to point, or from cell to cell' },
  { keys: '↑ ↓', label: 'The same; in the matrix from row to row' },
  { keys: 'PgUp PgDn', label: 'Ten at once; in the matrix a screen' },
  { keys: 'Home End', label: 'To the first, to the last' },
  {
    keys: 'Space',
    label: 'In the matrix, at the head of a row or column: select it; with Shift, all up to it',
  },
]

/** Tab goes from one group of controls to the next, and the arrows go through a group. */
const inGroups: readonly Shortcut[] = [
  { keys: 'Tab', label: 'To the next bar, line of filters, head of a table, or row' },
  { keys: '← →', label: 'Along it; also to what a row only tells' },
  { keys: '↑ ↓', label: 'The same in the side navigation' },
]

/** What the keys do, and the switch that turns them off. */
export function Help({ role, onClose }: { role: Role; onClose: () => void }) {
  const isOn = useSingleKeys()
  const onPage = listedPageKeys()
  const id = useId()
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <label className={shapes.spaceBetween} htmlFor={id}>
        <span>
          <strong>Shortcuts of single keys</strong>
          <br />
          <small>While they are off, this list opens from your settings.</small>
        </span>
        <Switch id={id} isOn={isOn} onChange={singleKeys.save} />
      </label>
      <div className={`${shapes.stack} ${classes.keys} ${caps.keys}`} data-off={!isOn || undefined}>
        {onPage.length > 0 && <List title="On this page" shortcuts={onPage} />}
        <List title="Go to" shortcuts={placesFor(role)} />
        <List title="In plots and in the training matrix" shortcuts={walking} joint=" or " />
        <List title="From place to place" shortcuts={inGroups} joint=" or " />
        <List
          title="On every page"
          shortcuts={[
            { keys: searchKeys, label: 'Search, also while typing' },
            ...Object.entries(actions).map(([keys, label]) => ({ keys, label })),
            { keys: 'Esc', label: 'Close what is open' },
          ]}
        />
      </div>
    </Dialog>
  )
}

type ListProps = { title: string; shortcuts: readonly Shortcut[]; joint?: string }

function List({ title, shortcuts, joint = ' then ' }: ListProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt className={shapes.hint}>
              {keys.split(' ').map((key, index) => (
                <span key={key}>
                  {index > 0 && joint}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
