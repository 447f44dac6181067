import classes from './Skeletons.module.css'
import shapes from '../look/shapes.module.css'

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

/** Stands where a table will: its head, and rows; those of a matrix are of other heights. */
export function RowBones({ isMatrix = false }: { isMatrix?: boolean }) {
  return (
    <div className={`${shapes.card} ${classes.rows}`} data-matrix={isMatrix || undefined}>
      {[24, 90, 77, 64, 51, 78, 65, 52, 79].map((width, at) => (
        <span key={width} data-part={at === 1 ? 'first' : undefined}>
          <Bone width={`${width}%`} />
        </span>
      ))}
    </div>
  )
}
