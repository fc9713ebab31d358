# frozen_string_literal: true

require "test_helper"
require "open3"
require "holdup/agent/stats_log"
require "holdup/loader"

class Holdup::Export::TerraformTest < Minitest::Test
  # Terraform's AWS provider, `website/docs/r/cloudwatch_*`: [required, the rest that is used here].
  ARGUMENTS = {
    "aws_cloudwatch_log_metric_filter" => [
      %w[name pattern log_group_name metric_transformation], %w[for_each]
    ],
    "aws_cloudwatch_metric_alarm" => [
      %w[alarm_name comparison_operator evaluation_periods threshold metric_name namespace period statistic],
      %w[alarm_description alarm_actions ok_actions datapoints_to_alarm dimensions treat_missing_data]
    ],
    "aws_cloudwatch_dashboard" => [%w[dashboard_name dashboard_body], []]
  }.freeze
  # Without defaults; and of the filters.
  KNOWN = {"var.holdup_region" => "eu-west-1", "var.holdup_log_group" => "/ecs/shop", "each.key" => "units",
           "each.value" => "Count"}.freeze

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def text(**options)
    Holdup::Export::Terraform.write(Holdup::Export::Terraform::AlarmPlan.new(**options))
  end

  def file(...) = TerraformFile.new(text(...))

  PLANS = [{}, {log_group: "/ecs/shop", app: "shop", region: "eu-central-1", server: "puma"},
    {format: :emf, app: "shop", server: "puma"}, {log_group: "${odd}", app: '%{odd} "$${name}" \\ $'},
    {format: :emf, server: "puma", namespace: 'odd "${name}"'}].freeze

  def test_the_resources_have_the_arguments_of_the_provider
    PLANS.each do |plan|
      resources = file(**plan).resources
      assert_equal (plan[:format] == :emf) ? 4 : 5, resources.size
      resources.each do |resource|
        required, known = ARGUMENTS.fetch(resource.type)
        assert_empty required - resource.body.keys, resource.name
        assert_empty resource.body.keys - required - known, resource.name
      end
      assert_equal resources.uniq { |resource| [resource.type, resource.name] }, resources
    end
  end

  def test_every_reference_leads_somewhere
    PLANS.each do |plan|
      file = file(**plan)
      evaluated = file.resources.map { |resource| file.evaluate(resource.body, KNOWN) }
      assert_equal file.resources.size, evaluated.size
    end
  end

  def test_every_variable_and_local_is_used
    PLANS.each do |plan|
      file = file(**plan)
      used = text(**plan).scan(/\b(var|local)\.(\w+)/).group_by(&:first)
      {"var" => file.variables, "local" => file.locals}.each do |kind, known|
        assert_equal known.keys.sort, used.fetch(kind).map(&:last).uniq.sort
      end
    end
  end

  # "terraform_data" comes with Terraform and takes any value. So Terraform plans what the resources of AWS
  # are given, without that provider and without an account.
  one_ruby def test_terraform_reads_the_file_as_the_tests_do
    skip "terraform is not installed" unless system("terraform", "version", out: File::NULL, err: File::NULL)
    PLANS.each do |plan|
      file = file(**plan)
      planned = planned_inputs(text(**plan))
      expected = expected_inputs(file)
      assert_equal expected.size, planned.size
      expected.each { |name, input| assert_equal parsed(input), parsed(planned.fetch(name)), name.inspect }
    end
  end

  # Terraform sorts the keys of the JSON that it makes.
  def parsed(input)
    input.merge("dashboard_body" => JSON.parse(input.fetch("dashboard_body", "null")))
  end

  # @return [Hash{Array => Hash}] what a resource is given, by its name and the key of for_each
  def expected_inputs(file)
    file.resources.each_with_object({}) do |resource, inputs|
      body = resource.body.except("for_each")
      figures = resource.body.key?("for_each") ? Holdup::StatsLog::Metrics::UNITS : {nil => nil}
      figures.each do |key, value|
        known = {**KNOWN, "each.key" => key, "each.value" => value}
        known = known.except(*given_variables(file))
        inputs[["#{resource.type}_#{resource.name}", key]] = file.evaluate(body, known)
      end
    end
  end

  def given_variables(file)
    file.variables.select { |_, variable| variable.key?("default") }.keys.map { |name| "var.#{name}" }
  end

  def planned_inputs(text)
    folder = Dir.mktmpdir(nil, @dir)
    configuration = JSON.parse(text)
    configuration["resource"] = {terraform_data: data_resources(configuration["resource"])}
    File.write(File.join(folder, "holdup.tf.json"), JSON.generate(configuration))
    terraform(folder, "init", "-backend=false")
    terraform(folder, "plan", "-input=false", "-refresh=false", "-out=plan", *asked_for(configuration))
    resources = JSON.parse(terraform(folder, "show", "-json", "plan"))
      .fetch("planned_values").fetch("root_module").fetch("resources")
    resources.to_h { |one| [[one.fetch("name"), one["index"]], one.fetch("values").fetch("input")] }
  end

  def data_resources(resources)
    resources.flat_map { |type, named|
      named.map do |name, body|
        ["#{type}_#{name}", {**body.slice("for_each"), "input" => body.except("for_each")}]
      end
    }.to_h
  end

  # Answers to what Terraform would ask for.
  def asked_for(configuration)
    names = configuration["variable"].reject { |_, variable| variable.key?("default") }.keys
    names.map { |name| "-var=#{name}=#{KNOWN.fetch("var.#{name}")}" }
  end

  def terraform(folder, *arguments)
    environment = {"CHECKPOINT_DISABLE" => "1", "TF_IN_AUTOMATION" => "1", "TF_CLI_CONFIG_FILE" => File::NULL}
    out, error, status = Open3.capture3(environment, "terraform", *arguments, chdir: folder)
    assert_predicate status, :success?, "terraform #{arguments.first}: #{out}\n#{error}"
    out
  end

  # Lines of a process as it really makes them: before, at and after its first interval.
  def lines(**options)
    stats = StatsLines.new(File.join(@dir, options.hash.to_s), **options)
    stats.after(0)
    stats.gauge(**StatsLines::GAUGES, jit_saturated: 1)
    stats.gauges[:jit_compiled_instructions] = 5
    stats.after(200)
    stats.gauge(cpu_ns: 9_000_000_000, jit_invalidations: 9, jit_interpreted_instructions: 1_000_100)
    stats.segment.setting = StatsLines::SETTING.sub("{", '{"jit_stats":"on",')
    stats.segment.record("A#b", wall: 5_000_000, running: 2_000_000, stalled: 1_000_000, idle: 2_000_000,
      queued: 100_000)
    stats.gauges[:jit_compiled_instructions] = 5000
    stats.after(200)
    stats.stats.close
    stats.sink.texts
  end

  def patterns(**plan)
    file = file(**plan)
    filter = file.resources("aws_cloudwatch_log_metric_filter").first.body
    file.evaluate(filter.fetch("for_each")).keys.to_h { |name|
      [name, FilterPattern.new(file.evaluate(filter.fetch("pattern"), "each.key" => name))]
    }
  end

  def test_the_filters_match_real_lines
    lines = lines()
    assert_equal %w[boot enabled saturated stats stats exit], lines.map { |line| JSON.parse(line)["event"] }
    patterns(app: "shop", server: "puma").each do |name, pattern|
      matched = lines.select { |line| pattern.match?(line) }
      refute_empty matched, name
      matched.each { |line| assert_kind_of Numeric, JSON.parse(line).fetch(name) }
      assert_empty matched.map { |line| JSON.parse(line)["event"] } - %w[stats exit]
    end
  end

  def test_the_filters_match_no_other_line
    real = lines[4]
    others = ['{"event":"stats","units":3}', '{"units":3,"setting":"x"}', "units=3",
      real.sub('"app":"shop"', '"app":"other"')]
    of_shop = patterns(app: "shop").values
    assert_empty(of_shop.flat_map { |pattern| others.select { |line| pattern.match?(line) } })
    assert(patterns(app: "shop")["units"].match?(real) && patterns["units"].match?(others.last))
  end

  def test_alarms_and_widgets_use_metrics_that_there_are
    units = Holdup::StatsLog::Metrics::UNITS
    file = file(app: "shop")
    alarms = file.resources("aws_cloudwatch_metric_alarm").map(&:body)
    assert_equal %w[jit_saturated jit_effective rss_bytes], alarms.map { |alarm| alarm["metric_name"] }
    assert_equal [["Holdup/shop"], ["notBreaching"]],
      %w[namespace treat_missing_data].map { |name| alarms.map { |alarm| alarm[name] }.uniq }
    assert_empty shown(file).map { |metric| metric[1] } - units.keys
  end

  # AWS takes the dashboard as JSON in a text.
  def widgets(file)
    body = file.resources("aws_cloudwatch_dashboard").first.body.fetch("dashboard_body")
    JSON.parse(file.evaluate(body, KNOWN)).fetch("widgets")
  end

  # @return [Array<Array>] the metrics of all widgets
  def shown(file)
    widgets(file).flat_map { |widget| widget.fetch("properties").fetch("metrics") }
  end

  def test_metrics_of_embedded_lines_are_found_by_their_dimensions
    directive = JSON.parse(lines(format: :emf)[3])["_aws"]["CloudWatchMetrics"].first
    file = file(format: :emf, app: "shop", server: "puma")
    alarm = file.resources("aws_cloudwatch_metric_alarm").first.body
    assert_equal [directive["Namespace"], directive["Dimensions"]],
      [alarm["namespace"], [alarm["dimensions"].keys]]
    assert_equal ["Holdup", "units", "app", "shop", "server", "puma", {"stat" => "Sum"}], shown(file).first
    refute_includes file.locals, "holdup_metrics"
  end

  def test_the_memory_at_which_the_alarm_fires
    alarm = file(memory_mib: 512).resources("aws_cloudwatch_metric_alarm").last.body
    assert_equal 512 << 20, alarm["threshold"]
  end

  def test_the_widgets_are_of_the_region
    regions = widgets(file(app: "shop")).map { |widget| widget.fetch("properties").fetch("region") }
    assert_equal ["eu-west-1"], regions.uniq
  end

  def test_texts_stay_texts
    empty = TerraformFile.new("{}")
    ["plain", "a\"b\\c\n\t\r", "${var.x} %{if} $${y} $5", "$", "%", "ü€", ""].each do |text|
      assert_equal text, empty.evaluate(Holdup::Export::Terraform.expression(text)), text
    end
    value = {"a" => [1, 2.5, true, nil, "x" * 90], "b" => {}, "c" => [], "${d}" => [{"%{e}" => "f"}]}
    assert_equal value, empty.evaluate(Holdup::Export::Terraform.expression(value))
  end

  def test_random_texts_stay_texts
    random = Random.new(5)
    empty = TerraformFile.new("{}")
    500.times do
      text = Array.new(random.rand(12)) { ["$", "%", "{", "}", "\"", "\\", "\n", "a"].sample(random:) }.join
      assert_equal text, empty.evaluate(Holdup::Export::Terraform.expression(text)), text.inspect
    end
  end
end
