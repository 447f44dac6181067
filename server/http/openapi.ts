import * as z from 'zod/mini'
import { api } from '#contract/api.ts'
import type { EndpointDefinition, Schema } from '#contract/endpoint.ts'
import { Problem } from '#contract/problems.ts'
import { intakeOf } from './strict.ts'

/** OpenAPI 3.1 of the whole contract; nothing in it is written by hand. */
export function openapi(title: string, version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of api) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: `${title} API`, version },
    servers: [{ url: '/api' }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: jsonSchema(Problem, 'output') },
    },
  }
}

function jsonSchema(schema: Schema, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function operation(endpoint: EndpointDefinition): object {
  const signedIn = endpoint.access.kind === 'roles'
  const { body } = intakeOf(endpoint)
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(endpoint.access.kind === 'roles' ? { 'x-roles': endpoint.access.roles } : {}),
    ...(signedIn ? { security: [{ bearer: [] }] } : {}),
    parameters: [...parameters(endpoint.params, 'path'), ...parameters(endpoint.query, 'query')],
    ...(endpoint.body && body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(body, 'input') } },
          },
        }
      : {}),
    responses: {
      [endpoint.status ?? 200]: {
        description: 'Done',
        content: { 'application/json': { schema: jsonSchema(endpoint.reply, 'output') } },
      },
      default: {
        description: 'Refused',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function parameters(schema: Schema | undefined, place: 'path' | 'query'): object[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, part]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: part,
  }))
}
