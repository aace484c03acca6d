# docker build -t tenant-admin-conformance .
# docker run --rm -v "$PWD:/work" tenant-admin-conformance --base-url https://tenant.example/api/v2
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --pack-destination /build

FROM node:24-slim
COPY --from=build /build/*.tgz /package/
RUN npm install --global --no-audit --no-fund /package/*.tgz
USER node
WORKDIR /work
ENTRYPOINT ["tenant-admin-conformance"]
