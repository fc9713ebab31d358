# frozen_string_literal: true

require "json"

# What CloudWatch's specification of its embedded metric format asks of a line (Specification: Embedded metric
# format, structure and limits).
module EmfSchema
  UNITS = /\A(?:Seconds|Microseconds|Milliseconds|(?:Kilo|Mega|Giga|Tera)?(?:b|B)(?:it|yte)s(?:\/Second)?|Percent|Count(?:\/Second)?|None)\z/
  BYTES = 256 * 1024

  module_function

  # @param text [String] a line
  # @return [Array<String>] what is wrong with it
  def troubles(text)
    root = JSON.parse(text)
    head = root.fetch("_aws")
    ["more than one line"].select { text.count("\n") != 1 } + ["too long"].select { text.bytesize > BYTES } +
      ["Timestamp is no time in ms"].reject { head["Timestamp"].is_a?(Integer) && head["Timestamp"].digits.size == 13 } +
      ["members beside"].reject {
        head.keys.sort == %w[CloudWatchMetrics
          Timestamp]
      } + head.fetch("CloudWatchMetrics").flat_map { |one| directive(root, one) }
  end

  def directive(root, one)
    namespace, dimensions, metrics = one.fetch_values("Namespace", "Dimensions", "Metrics")
    ["namespace"].reject { namespace.is_a?(String) && namespace.size.between?(1, 255) } +
      ["no set of dimensions"].select { dimensions.empty? } + ["more than 100 metrics"].select { metrics.size > 100 } +
      dimensions.flat_map { |set|
        dimension_set(root,
          set)
      } + metrics.flat_map { |metric| definition(root, metric) }
  end

  def dimension_set(root, set)
    ["too many dimensions"].select { set.size > 9 } + set.reject { |name| root[name].is_a?(String) && !root[name].empty? }.map { |name| "dimension #{name}" }
  end

  def definition(root, metric)
    name, unit = metric.values_at("Name", "Unit")
    ["metric #{name} is no number"].reject { root[name].is_a?(Numeric) } + ["unit #{unit}"].reject { UNITS.match?(unit) } +
      ["members of #{name}"].reject { (metric.keys - %w[Name Unit StorageResolution]).empty? }
  end
end
