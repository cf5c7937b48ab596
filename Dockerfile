# The image of the operator: docker build -t localhost/dataprocessing-operator:0.2.0 .
# It also contains the bundled service: docker run --entrypoint node IMAGE dist/service/main.js --help
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No install scripts: they fetch a Node for development, and this image has its own.
RUN npm ci --ignore-scripts
COPY tsconfig.json rolldown.config.ts ./
COPY src src
COPY dev/image dev/image
# The list of what is in the image (SBOM). Both stages have the same base. The lock file of the installation is of no use there.
RUN npm run build && npm prune --omit=dev --ignore-scripts && rm node_modules/.package-lock.json \
  && node dev/image/bom.ts > sbom.cdx.json

FROM ${NODE}
# Removes the package managers.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn*
# No accounts but root and the user of the programs, who needs a name: some libraries fail without one.
RUN printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin > /etc/passwd \
  && printf '%s\n' root:x:0: nonroot:x:65532: > /etc/group
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json /build/sbom.cdx.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# A numeric user, so that Kubernetes can verify that it is not root.
USER 65532:65532
EXPOSE 8081
# Returns freed memory to the system. By default, the C library keeps it in a heap per thread, and the 64 kB buffers of long
# answers between small allocations.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=8192 MALLOC_TOP_PAD_=0
# No shell, so that Node receives SIGTERM. The flags keep the heap close to what is in use; docs/how-to/operate.md has the
# figures. Not --optimize-for-size: with it, an exit of Node may wait forever for a background compilation.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=25", "dist/main.js"]
