# The operator as an image: docker build -t dataprocessing-operator:0.1.0 .
# The bundled service is in it, too: docker run --entrypoint node IMAGE dist/service/main.js --help
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No scripts: what they fetch is a Node for development, and this image has its own.
RUN npm ci --ignore-scripts
COPY tsconfig.json rolldown.config.ts ./
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM ${NODE}
# Neither package managers nor anything else that could install something.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# By number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 8081
# Memory that was freed goes back: the C library would keep it in a heap for each of Node's threads, and what long answers came in,
# 64 kB at a time, between small things that stay.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=8192 MALLOC_TOP_PAD_=0
# Node itself and no shell around it, so that SIGTERM arrives. A small young generation, and an old one that is collected when it has
# grown by this much: V8 would let it grow to several times what is in use. No --optimize-for-size: with it a compilation in the
# background may wait for a collection by the main thread while that waits in its exit for the compilation, for ever.
# docs/how-to/operate.md has the figures.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=25", "dist/main.js"]
