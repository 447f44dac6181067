import { Button } from '@mantine/core'
import { IconArrowRight, IconCircleCheck, IconCircleDashed, IconRoute } from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { useRef, useSyncExternalStore, type MouseEvent } from 'react'
import type { Role } from '#contract/roles.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/useSession.ts'
import { useWorkingOrganization } from '../../session/workingOrganization.ts'
import { keep } from '../../ui/browser/persisted.ts'
import type { OrganizationPlace } from './place.ts'
import styles from './FirstSteps.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** `to` and `search`: the page on which it is done, whose button is marked there. */
type Step = { title: string; detail: string; to: string; search?: Record<string, string>; isDone: boolean }
type Numbers = {
  organizations?: number
  users: number
  groups: number
  videos: number
  transmissions: number
}

type Way = {
  role: Role
  /** Of the dashboard; null: of all organizations. */
  orgId: string | null
  /** In which the steps are done; undefined: it is chosen in the list. */
  into: string | undefined
  numbers: Numbers
}

/** The way from an empty organization to the first message, for each role as far as it goes. */
function stepsFor({ role, orgId, into, numbers }: Way): Step[] {
  const listOf = (tab: string) =>
    into === undefined
      ? { to: paths.organizations() }
      : { to: paths.organizationDashboard(into), search: { tab } }
  // Who belongs to an organization sees no other.
  const within = role === 'superadmin' && into !== undefined ? { search: { organization: into } } : {}
  const organization = {
    title: 'Add an organization',
    detail: 'It holds people, groups and videos.',
    to: paths.organizations(),
    isDone: (numbers.organizations ?? 0) > 0,
  }
  const people = {
    title: 'Add people',
    detail: 'A name and an email are enough.',
    ...listOf('users'),
    // Who reads this is one of them.
    isDone: numbers.users > (orgId === null ? 0 : 1),
  }
  const group = {
    title: 'Add a group',
    detail: 'Send to a team or a class at once.',
    ...listOf('groups'),
    isDone: numbers.groups > 0,
  }
  const video = {
    title: 'Upload a video',
    detail: 'It becomes ready for every device.',
    to: paths.content(),
    ...within,
    isDone: numbers.videos > 0,
  }
  const send = {
    title: 'Send it',
    detail: 'And see who watched which seconds.',
    to: paths.transmissions(),
    ...within,
    isDone: numbers.transmissions > 0,
  }
  if (role === 'groupadmin') return [group]
  return orgId === null ? [organization, people, video, send] : [people, group, video, send]
}

/** Tours that somebody has left on this browser. */
const left = keep<readonly string[]>('first-steps', {
  parse: (text) => {
    const found: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []
  },
  format: (tours) => JSON.stringify(tours),
})

/** What to do one after the other, until all of it is done. It can be left, and resumed where it was. */
export function FirstSteps({ orgId, numbers }: OrganizationPlace & { numbers: Numbers }) {
  const { id, role } = useUser()
  const working = useWorkingOrganization()
  const into = orgId ?? (working || undefined)
  const steps = stepsFor({ role, orgId, into, numbers })
  const tour = `${id} ${orgId ?? 'all'}`
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
    <section
      className={`${shapes.card} ${styles.steps}`}
      aria-labelledby="steps-title"
      data-left={isLeft || undefined}
    >
      <header className={shapes.row}>
        <IconRoute size={20} aria-hidden />
        <h2 id="steps-title">First steps</h2>
        <p>
          {done} of {steps.length} done
          {isLeft && <>, next: {next.title.toLowerCase()}</>}
        </p>
        <Button
          key={isLeft ? 'resume' : 'leave'}
          ref={focus}
          className={shapes.end}
          variant={isLeft ? 'default' : 'subtle'}
          size="compact-md"
          onClick={move}
        >
          {isLeft ? 'Resume' : 'Leave for now'}
        </Button>
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

function Row({ step: { title, detail, to, search, isDone }, isNext }: { step: Step; isNext: boolean }) {
  const router = useRouter()
  const lead = ({ altKey, ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    // A tab or window of its own is not led from here.
    if (altKey || ctrlKey || metaKey || shiftKey) return
    const stop = router.subscribe('onRendered', () => {
      stop()
      markCreate()
    })
  }
  return (
    <li data-done={isDone || undefined}>
      {isDone ? <IconCircleCheck size={20} aria-hidden /> : <IconCircleDashed size={20} aria-hidden />}
      <div className={shapes.grow}>
        {isDone ? (
          <span>
            {title} <span className={shapes.sr}>(done)</span>
          </span>
        ) : (
          <Link
            className={shapes.cover}
            to={to}
            search={search ?? {}}
            onClick={lead}
            aria-current={isNext ? 'step' : undefined}
          >
            {title}
          </Link>
        )}
        <p className={shapes.lead}>{detail}</p>
      </div>
      {isNext && <IconArrowRight className={shapes.flip} size={18} aria-hidden />}
    </li>
  )
}

/** Leads to the button of the page that creates something; it stays marked until it is pressed or left. */
function markCreate(): void {
  const button = document.querySelector<HTMLElement>('main [data-create]')
  if (!button) return
  button.focus()
  button.dataset['marked'] = ''
  const unmark = () => delete button.dataset['marked']
  for (const type of ['click', 'blur']) button.addEventListener(type, unmark, { once: true })
}
