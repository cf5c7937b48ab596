-- Health of any object of the group dataprocessing.dev for Argo CD, which asks only for objects that are not being deleted.
-- Lua 5.1 with nothing but the basic functions: Argo CD loads no string library.
local function progressing(message)
  return { status = "Progressing", message = message }
end

local status = obj.status
local generation = obj.metadata and obj.metadata.generation
if type(status) ~= "table" or status.observedGeneration ~= generation then
  return progressing("Waiting for the operator to look at this version of the spec")
end

-- Each condition by its type; the first one counts, should there be two.
local conditions = {}
if type(status.conditions) == "table" then
  for _, condition in ipairs(status.conditions) do
    if condition.type and not conditions[condition.type] then
      conditions[condition.type] = condition
    end
  end
end

local function holds(name)
  local condition = conditions[name]
  return condition ~= nil and condition.status == "True"
end

local ready = conditions.Ready
if not ready or ready.observedGeneration ~= generation then
  return progressing("Waiting for the operator to judge this version of the spec")
end

if holds("Paused") then
  return { status = "Suspended", message = conditions.Paused.message or ready.message }
end
if ready.reason == "PlanPending" or ready.reason == "Suspended" or holds("Expired") then
  return { status = "Suspended", message = ready.message }
end
if holds("Stalled") then
  return { status = "Degraded", message = ready.message or conditions.Stalled.message }
end
if holds("Reconciling") then
  return progressing(ready.message or conditions.Reconciling.message)
end
if ready.status == "True" then
  local told = holds("Drifted") and conditions.Drifted or ready
  return { status = "Healthy", message = told.message }
end
return progressing(ready.message)
