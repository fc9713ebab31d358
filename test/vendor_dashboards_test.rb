# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "json_schemer"
require "support/example_deaths"

# The dashboards of examples/ for Datadog and New Relic: they have the form that these import, and ask only
# for metrics and labels that the exporters send.
class VendorDashboardsTest < Minitest::Test
  include ExampleDeaths

  EXAMPLES = File.expand_path("../examples", __dir__)
  SETTING = SampleWindows::SETTING.merge("app" => "shop").freeze

  def dashboard(vendor) = JSON.parse(File.read(File.join(EXAMPLES, vendor, "dashboard.json")))

  # @return [Array<Holdup::Export::ExportedMetrics::ExportedMetric>] with all kinds of labels
  def exported
    export = Holdup::ConfigurationKeys::PrometheusExport.new(pairs: true)
    figures = Holdup::Export::ExportedMetrics.new(export, "X", log: CollectedLog.new,
      clock: Holdup::Clock.new)
    sample = SampleWindows.new(setting: SETTING)
    call = sample.window("A#b", kind: :call, queue: "sql primary", count: 1)
    jobs = SampleWindows.new(setting: SETTING, kind: :job, queue: "low").to_a
    figures.add([*sample.stored, *jobs, call], [], deaths: [death(reason: :oom)])
    figures.all
  end

  # @return [Hash{String => Array<Symbol>}] labels of each metric, by its dotted name
  def labels
    exported.to_h do |metric|
      [metric.dotted_name, metric.values.keys.flat_map(&:keys).uniq]
    end
  end

  # What the documentation of "Create a new dashboard" (API v1) requires of one.
  DATADOG = {
    type: "object", required: %w[title layout_type widgets],
    properties: {
      title: {type: "string"}, layout_type: {enum: %w[ordered free]},
      template_variables: {type: "array", items: {type: "object", required: %w[name]}},
      widgets: {
        type: "array", minItems: 1,
        items: {
          type: "object", required: %w[definition],
          properties: {definition: {
            type: "object", required: %w[type requests],
            properties: {
              type: {enum: %w[timeseries toplist]},
              requests: {
                type: "array", minItems: 1,
                items: {type: "object", required: %w[response_format queries formulas],
                        properties: {response_format: {enum: %w[timeseries scalar]}}}
              }
            }
          }}
        }
      }
    }
  }.freeze

  # What an export of a New Relic dashboard has.
  NEW_RELIC = {
    type: "object", required: %w[name permissions pages],
    properties: {
      permissions: {enum: %w[PUBLIC_READ_WRITE PUBLIC_READ_ONLY PRIVATE]},
      pages: {
        type: "array", minItems: 1,
        items: {
          type: "object", required: %w[name widgets],
          properties: {widgets: {
            type: "array", minItems: 1,
            items: {
              type: "object", required: %w[title layout visualization rawConfiguration],
              properties: {
                layout: {type: "object", required: %w[column row width height],
                         properties: {column: {minimum: 1, maximum: 12}, width: {maximum: 12}}},
                visualization: {properties: {id: {enum: %w[viz.line viz.area viz.bar viz.table]}}},
                rawConfiguration: {required: %w[nrqlQueries]}
              }
            }
          }}
        }
      }
    }
  }.freeze

  def assert_form(schema, document)
    errors = JSONSchemer.schema(JSON.parse(JSON.generate(schema))).validate(document)
    assert_empty(errors.map { |error| [error["data_pointer"], error["type"]] })
  end

  def test_they_have_the_form_that_vendors_take
    assert_form(DATADOG, dashboard("datadog"))
    assert_form(NEW_RELIC, dashboard("newrelic"))
  end

  DATADOG_QUERY = /\A(?:sum|count|p95):([a-z_.]+)\{(.*?)\}(?: by \{(.*?)\})?(?:\.as_(?:count|rate)\(\))?\z/

  def test_datadogs_queries_ask_for_metrics_and_tags_that_statsd_gets
    requests = dashboard("datadog")["widgets"].flat_map { |widget| widget.dig("definition", "requests") }
    queries = requests.flat_map { |request| request["queries"].map { |query| query.fetch("query") } }
    known = labels
    queries.each do |query|
      name, filter, by = DATADOG_QUERY.match(query)&.captures
      assert known.key?(name), query
      tags = [*by.to_s.split(","), *filter.scan(/([a-z]+):/).flatten].map(&:to_sym) - [:instance]
      assert_empty tags - known.fetch(name), query unless known.fetch(name).empty?
    end
  end

  def test_formulas_of_datadog_name_their_queries
    dashboard("datadog")["widgets"].each do |widget|
      widget.dig("definition", "requests").each do |request|
        names = request["queries"].map { |query| query["name"] }
        used = request["formulas"].flat_map { |one| one["formula"].scan(/query\d/) }
        assert_equal names, used.uniq, widget.dig("definition", "title")
      end
    end
  end

  # As OtlpPoints names them.
  def test_new_relics_queries_ask_for_metrics_and_attributes_that_otlp_sends
    points = Holdup::Export::OtlpPoints
    metrics = [*labels.keys, *points::DURATIONS.values.map(&:first)]
    attributes = [*points::ATTRIBUTES.values, "service.name"]
    widgets = dashboard("newrelic")["pages"].flat_map { |page| page["widgets"] }
    queries = widgets.flat_map { |widget| widget.dig("rawConfiguration", "nrqlQueries") }
    queries.map { |query| query.fetch("query") }.each do |query|
      assert_match(/\ASELECT .* FROM Metric WHERE /, query)
      names = query.scan(/(?:sum|count|average|percentile)\(([a-z_.]+)/).flatten
      refute_empty names, query
      assert_empty names - metrics, query
      assert_empty query[/WHERE .*/].scan(/\b[a-z]+(?:\.[a-z]+)+\b/) - attributes, query
    end
  end

  def test_widgets_of_new_relic_do_not_overlap
    places = dashboard("newrelic")["pages"].flat_map { |page| page["widgets"] }.map { |one| one["layout"] }
    assert_equal places.uniq, places
  end
end
