# frozen_string_literal: true

require "json"

# What CloudWatch's specification of its embedded metric format asks of a line (Specification: Embedded metric
# format, structure and limits).
module EmfSchema
  BYTE_UNITS = /(?:Kilo|Mega|Giga|Tera)?(?:b|B)(?:it|yte)s(?:\/Second)?/
  UNITS = /\A(?:Seconds|Microseconds|Milliseconds|#{BYTE_UNITS}|Percent|Count(?:\/Second)?|None)\z/
  BYTES = 256 * 1024

  module_function

  # @param text [String] a line
  # @return [Array<String>] what is wrong with it
  def troubles(text)
    root = JSON.parse(text)
    head = root.fetch("_aws")
    time = head["Timestamp"]
    milliseconds = time.is_a?(Integer) && time.digits.size == 13
    found = []
    found << "more than one line" if text.count("\n") != 1
    found << "too long" if text.bytesize > BYTES
    found << "Timestamp is not a time in ms" unless milliseconds
    found << "members beside" unless head.keys.sort == %w[CloudWatchMetrics Timestamp]
    found + head.fetch("CloudWatchMetrics").flat_map { |one| directive(root, one) }
  end

  def directive(root, one)
    namespace, dimensions, metrics = one.fetch_values("Namespace", "Dimensions", "Metrics")
    found = []
    found << "namespace" unless namespace.is_a?(String) && namespace.size.between?(1, 255)
    found << "no set of dimensions" if dimensions.empty?
    found << "more than 100 metrics" if metrics.size > 100
    found += dimensions.flat_map { |set| dimension_set(root, set) }
    found + metrics.flat_map { |metric| definition(root, metric) }
  end

  def dimension_set(root, set)
    found = (set.size > 9) ? ["too many dimensions"] : []
    unnamed = set.reject { |name| root[name].is_a?(String) && !root[name].empty? }
    found + unnamed.map { |name| "dimension #{name}" }
  end

  def definition(root, metric)
    name, unit = metric.values_at("Name", "Unit")
    found = []
    found << "metric #{name} is not a number" unless root[name].is_a?(Numeric)
    found << "unit #{unit}" unless UNITS.match?(unit)
    found << "members of #{name}" unless (metric.keys - %w[Name Unit StorageResolution]).empty?
    found
  end
end
