import { IconArrowRight, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { SessionUser } from '#contract/auth.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { readDashboard } from '#contract/organizations.ts'
import { paths } from '../paths.ts'
import { useUser } from '../shell/useSession.ts'

type Numbers = Reply<typeof readDashboard>
type Step = { title: string; detail: string; to: string; isDone: boolean }

/** The way from an empty installation to the first message, for each role as far as it goes. */
function stepsFor(user: SessionUser, numbers: Numbers): Step[] {
  const home = user.organizationId
  const people = home ? paths.userCreate(home) : paths.organizations()
  const steps = {
    organization: {
      title: 'Create an organization',
      detail: 'It holds people, groups and videos.',
      to: paths.organizationCreate(),
      isDone: numbers.organizations > 0,
    },
    people: {
      title: 'Add users',
      detail: 'A name and an email are enough.',
      to: people,
      // Who reads this is one of them.
      isDone: numbers.users > (home ? 1 : 0),
    },
    group: {
      title: 'Create a group',
      detail: 'Send to a team or a class at once.',
      to: home ? paths.groupCreate(home) : paths.organizations(),
      isDone: numbers.groups > 0,
    },
    video: {
      title: 'Upload a video',
      detail: 'It becomes ready for every device.',
      to: paths.content(),
      isDone: numbers.videos > 0,
    },
    send: {
      title: 'Send it',
      detail: 'And see who watched which seconds.',
      to: paths.transmissionCreate(),
      isDone: numbers.transmissions > 0,
    },
  }
  if (user.role === 'groupadmin') return [steps.group]
  const shared = [steps.people, steps.video, steps.send]
  return user.role === 'superadmin' ? [steps.organization, ...shared] : shared
}

export function FirstSteps({ numbers }: { numbers: Numbers }) {
  const steps = stepsFor(useUser(), numbers)
  const next = steps.find(({ isDone }) => !isDone)
  if (!next) return null
  return (
    <section className="ui-card first-steps" aria-labelledby="steps-title">
      <h2 id="steps-title">First steps</h2>
      <ol>
        {steps.map((step) => (
          <li key={step.title} data-done={step.isDone || undefined}>
            {step.isDone ? (
              <IconCircleCheck size={20} aria-hidden />
            ) : (
              <IconCircleDashed size={20} aria-hidden />
            )}
            <div>
              {step.isDone ? (
                <span>
                  {step.title} <span className="ui-sr">(done)</span>
                </span>
              ) : (
                <Link to={step.to} aria-current={step === next ? 'step' : undefined}>
                  {step.title}
                </Link>
              )}
              <p>{step.detail}</p>
            </div>
            {step === next && <IconArrowRight className="ui-flip" size={18} aria-hidden />}
          </li>
        ))}
      </ol>
    </section>
  )
}
