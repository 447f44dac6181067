import { Button } from '@mantine/core'
import { IconArrowRight, IconCircleCheck, IconCircleDashed, IconRoute } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef, useSyncExternalStore } from 'react'
import { useUser } from '../../session/useSession.ts'
import { keep } from '../../ui/persisted.ts'
import type { OrganizationPlace } from './place.ts'
import './steps.css'

export type Step = { title: string; detail: string; to: string; isDone: boolean }

/** Tours that somebody has left on this browser. */
const left = keep<readonly string[]>('first-steps', {
  parse: (text) => {
    const found: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []
  },
  format: (tours) => JSON.stringify(tours),
})

/** What to do one after the other, until all of it is done. It can be left, and resumed where it was. */
export function Steps({ orgId, steps }: OrganizationPlace & { steps: readonly Step[] }) {
  const tour = `${useUser().id} ${orgId ?? 'all'}`
  const isLeft = useSyncExternalStore(left.subscribe, left.read).includes(tour)
  const hasMoved = useRef(false)
  const next = steps.find(({ isDone }) => !isDone)
  if (!next) return null
  const done = steps.filter(({ isDone }) => isDone).length
  const move = () => {
    hasMoved.current = true
    left.save(isLeft ? left.read().filter((one) => one !== tour) : [...left.read(), tour])
  }
  // The button that was pressed is gone: its counterpart takes the focus.
  const focus = (button: HTMLButtonElement | null) => {
    if (hasMoved.current) button?.focus()
  }
  return (
    <section className="ui-card ui-steps" aria-labelledby="steps-title" data-left={isLeft || undefined}>
      <header>
        <IconRoute size={20} aria-hidden />
        <h2 id="steps-title">First steps</h2>
        <p>
          {done} of {steps.length} done
          {isLeft && <>, next: {next.title.toLowerCase()}</>}
        </p>
        {isLeft ? (
          <Button key="resume" ref={focus} variant="default" size="compact-md" onClick={move}>
            Resume
          </Button>
        ) : (
          <Button key="leave" ref={focus} variant="subtle" size="compact-md" onClick={move}>
            Leave for now
          </Button>
        )}
      </header>
      {!isLeft && (
        <ol>
          {steps.map((step) => (
            <Row key={step.title} step={step} isNext={step === next} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Row({ step: { title, detail, to, isDone }, isNext }: { step: Step; isNext: boolean }) {
  return (
    <li data-done={isDone || undefined}>
      {isDone ? <IconCircleCheck size={20} aria-hidden /> : <IconCircleDashed size={20} aria-hidden />}
      <div>
        {isDone ? (
          <span>
            {title} <span className="ui-sr">(done)</span>
          </span>
        ) : (
          <Link to={to} aria-current={isNext ? 'step' : undefined}>
            {title}
          </Link>
        )}
        <p>{detail}</p>
      </div>
      {isNext && <IconArrowRight className="ui-flip" size={18} aria-hidden />}
    </li>
  )
}
