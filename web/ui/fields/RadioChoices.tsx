import { Radio, Stack, type RadioGroupProps } from '@mantine/core'
import type { ReactNode } from 'react'

type Choice = { value: string; label: string; means: ReactNode; isOff?: boolean }
type Labels = Record<string, Pick<Choice, 'label' | 'means'>>
type Props = Omit<RadioGroupProps, 'children'> & { choices: readonly Choice[] }

/** All of a table of labels, in its order. */
export const choicesOf = (labels: Labels): Choice[] =>
  Object.entries(labels).map(([value, { label, means }]) => ({ value, label, means }))

/** A few choices below each other, each with a sentence about what it means. */
export function RadioChoices({ choices, ...group }: Props) {
  return (
    <Radio.Group {...group}>
      <Stack gap={8} mt={4}>
        {choices.map(({ value, label, means, isOff = false }) => (
          <Radio key={value} value={value} label={label} description={means} disabled={isOff} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
