import classes from './Skeletons.module.css'
import shapes from './shapes.module.css'

type BoneProps = { width?: string; height?: number; isRound?: boolean }

/** A grey bar of the size of what will come. */
export function Bone({ width = '100%', height = 12, isRound }: BoneProps) {
  return (
    <span
      data-part="bone"
      className={classes.bone}
      style={{ width, height, ...(isRound && { borderRadius: '50%' }) }}
    />
  )
}

/** Stands where a table will: its head, and rows. */
export function RowBones() {
  return (
    <div className={`${shapes.card} ${classes.rows}`}>
      {[24, 90, 77, 64, 51, 78, 65, 52, 79].map((width) => (
        <span key={width}>
          <Bone width={`${width}%`} />
        </span>
      ))}
    </div>
  )
}
