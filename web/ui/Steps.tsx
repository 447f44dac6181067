import { IconArrowRight, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import './steps.css'

export type Step = { title: string; detail: string; to: string; isDone: boolean }

/** What to do one after the other, until all of it is done. */
export function Steps({ title, steps }: { title: string; steps: readonly Step[] }) {
  const next = steps.find(({ isDone }) => !isDone)
  if (!next) return null
  return (
    <section className="ui-card ui-steps" aria-labelledby="steps-title">
      <h2 id="steps-title">{title}</h2>
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
