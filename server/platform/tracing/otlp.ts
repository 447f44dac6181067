import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { version } from '../version.ts'

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

/** These are never an address, a name, or a value of a statement. */
type Attributes = Record<string, string | number>
export type Described = { kind: keyof typeof kinds; attributes?: Attributes }

type OpenSpan = {
  /** What further spans within this one belong to. */
  trace: Context
  fail(error: unknown): void
  end(attributes?: Attributes): void
}

export type Tracing = {
  begin(name: string, described: Described, within: unknown): OpenSpan
  carried(within: unknown): string | undefined
  continued(traceparent: string | undefined): Context | undefined
  stop(): Promise<void>
}

/** Loaded only where traces are wanted. Address, headers, sampling and names come from the standard variables. */
export function openTracing(): Tracing {
  const resource = resourceFromAttributes({ 'service.name': 'sendreel', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  )
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())]
  const provider = new BasicTracerProvider({ resource, spanProcessors })
  const tracer = provider.getTracer('sendreel', version)
  return {
    begin(name, { kind, attributes = {} }, within) {
      const parent = contextOf(within)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
      return {
        trace: trace.setSpan(parent, span),
        fail(error) {
          // Its message may speak of people.
          span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        },
        end(more = {}) {
          span.setAttributes(more)
          if (Number(more['http.response.status_code'] ?? 0) >= 500)
            span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    carried(within) {
      const found = trace.getSpanContext(contextOf(within))
      return found && `00-${found.traceId}-${found.spanId}-0${found.traceFlags & 1}`
    },
    continued(traceparent = '') {
      const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-(0[01])$/.exec(traceparent) ?? []
      if (traceId === undefined || spanId === undefined) return undefined
      return trace.setSpanContext(ROOT_CONTEXT, {
        traceId,
        spanId,
        traceFlags: Number(flags),
        isRemote: true,
      })
    },
    stop: () => provider.shutdown(),
  }
}

/** An origin keeps it without knowing what it is. */
const contextOf = (within: unknown) => (within as Context | undefined) ?? ROOT_CONTEXT
