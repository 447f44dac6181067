import { IconCheck, IconLock } from '@tabler/icons-react'
import { useId } from 'react'
import { Segments } from '#web/ui/figures/Segments.tsx'
import { Switch } from '#web/ui/fields/Switch.tsx'
import type { Choices } from '../settings.ts'
import { layout, type Layout } from '../store.ts'
import { Preview } from './Preview.tsx'
import type { Option, Section } from './sections.ts'
import classes from './Section.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { section: Section; now: Layout }

const chosenIn = ({ choice, options }: Section, choices: Choices): string | undefined =>
  options.find(({ patch }) => patch?.[choice] === choices[choice])?.label

/** The name of what the page shows, where that is not what the person has chosen. */
function shownInstead(section: Section, { saved, shown }: Layout): string | undefined {
  return shown[section.choice] === saved[section.choice] ? undefined : chosenIn(section, shown)
}

/** One choice with its notes: what else the page shows, and where the width of the window decides. */
export function SectionFields({ section, now }: Props) {
  const { choice, legend, kind, options } = section
  const instead = shownInstead(section, now)
  const isLimited = choice === 'size' && now.isLimited
  const notes = (
    <>
      {instead && <p className={shapes.hint}>This page shows {instead} while it is open.</p>}
      {isLimited && <p className={shapes.hint}>Limited by the window width</p>}
    </>
  )
  if (kind === 'switch')
    return (
      <div className={classes.section}>
        <UserSwitch section={section} now={now} />
        {notes}
      </div>
    )
  if (kind === 'segments')
    return (
      <div className={classes.section}>
        <Segments
          legend={legend}
          options={options.map(({ label }) => ({ value: label, label }))}
          value={chosenIn(section, now.saved)}
          onChange={(label) => layout.choose(options.find((one) => one.label === label)?.patch ?? {})}
        />
        {notes}
      </div>
    )
  return (
    <fieldset className={classes.section}>
      <legend>{legend}</legend>
      <div className={classes.cards} data-choice={choice}>
        {options.map((option) => (
          <Card key={option.label} section={section} option={option} now={now} />
        ))}
      </div>
      {notes}
    </fieldset>
  )
}

function Card({ section: { choice }, option, now }: Props & { option: Option }) {
  const { label, patch, note } = option
  const id = useId()
  const choose = () => patch && layout.choose(patch)
  const isShownInstead = now.shown[choice] !== now.saved[choice]
  return (
    <label className={classes.card}>
      <input
        type="radio"
        className={shapes.sr}
        name={`customizer-${choice}`}
        value={label}
        disabled={!patch}
        checked={patch !== undefined && now.saved[choice] === patch[choice]}
        aria-labelledby={id}
        aria-describedby={note && `${id}-note`}
        onChange={choose}
        // A page that shows something else gives way to the person's own choice, also to the one that is saved already.
        onClick={() => isShownInstead && choose()}
      />
      {patch ? <Pictures patch={patch} now={now} /> : <Locked />}
      <span className={classes.label}>
        <span id={id}>{label}</span>
        <IconCheck size={14} stroke={2.5} aria-hidden />
        {note && <small id={`${id}-note`}>{note}</small>}
      </span>
    </label>
  )
}

function Pictures({ patch, now }: { patch: Partial<Choices>; now: Layout }) {
  const drawn = { ...now.saved, ...patch }
  if (patch.theme !== 'system')
    return <Preview choices={drawn} theme={patch.theme === undefined ? now.theme : patch.theme} />
  return (
    <span className={classes.halves}>
      <Preview choices={drawn} theme="light" />
      <Preview choices={drawn} theme="dark" />
    </span>
  )
}

function Locked() {
  return (
    <span className={`${shapes.blank} ${classes.locked}`} aria-hidden>
      <IconLock size={20} />
    </span>
  )
}

function UserSwitch({ section: { legend }, now }: Props) {
  const id = useId()
  return (
    <label className={shapes.spaceBetween} htmlFor={id}>
      <strong>{legend}</strong>
      <Switch id={id} isOn={now.saved.user} onChange={(user) => layout.choose({ user })} />
    </label>
  )
}
