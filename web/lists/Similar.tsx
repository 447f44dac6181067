import shapes from '#web/ui/shapes.module.css'

type Props = { approximate: boolean | undefined; q: string }

/** Says above a list that nothing has the words that were looked for. */
export function Similar({ approximate, q }: Props) {
  return (
    <p role="status" className={approximate ? undefined : shapes.sr}>
      {approximate && `No exact match for “${q}”. These are similar.`}
    </p>
  )
}
