# frozen_string_literal: true

require "test_helper"
require "open3"
require "holdup/agent/stats_log"
require "holdup/loader"

class Holdup::TerraformTest < Minitest::Test
  # Terraform's AWS provider, `website/docs/r/cloudwatch_*`: [required, the rest that is used here].
  ARGUMENTS = {
    "aws_cloudwatch_log_metric_filter" => [%w[name pattern log_group_name], %w[for_each]],
    "aws_cloudwatch_metric_alarm" => [
      %w[alarm_name comparison_operator evaluation_periods threshold metric_name namespace period statistic],
      %w[alarm_description alarm_actions ok_actions datapoints_to_alarm dimensions treat_missing_data]
    ],
    "aws_cloudwatch_dashboard" => [%w[dashboard_name dashboard_body], []]
  }.freeze

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def text(**options)
    Holdup::Terraform.write(Holdup::Terraform::AlarmPlan.new(**options))
  end

  def file(...) = HclGrammar.parse(text(...))

  PLANS = [{}, {log_group: "/ecs/shop", app: "shop", region: "eu-central-1", server: "puma"},
    {format: :emf, app: "shop", server: "puma"},
    {format: :emf, server: "puma", namespace: 'odd "${name}"'}].freeze

  def test_every_file_follows_the_grammar_and_the_resources_their_arguments
    PLANS.each do |plan|
      resources = file(**plan).all("resource")
      assert_equal (plan[:format] == :emf) ? 4 : 5, resources.size
      resources.each do |resource|
        required, known = ARGUMENTS.fetch(resource.labels.first)
        assert_empty required - resource.body.attributes.keys
        assert_empty resource.body.attributes.keys - required - known
      end
      assert_equal resources.map(&:labels), resources.map(&:labels).uniq
    end
  end

  def test_every_reference_leads_somewhere
    PLANS.each do |plan|
      file = file(**plan)
      known = file.all("variable").map { |block|
        ["var",
          *block.labels]
      } + file.all("locals").flat_map { |block|
            block.body.attributes.keys.map { |name|
              ["local",
                name]
            }
          }
      used = text(**plan).scan(/\b(var|local)\.(\w+)/).uniq
      assert_empty used - known
      assert_empty known - used
    end
  end

  # As `terraform fmt` would write it; where that is installed, it has the last word.
  def test_is_formatted_as_terraform_would
    PLANS.each do |plan|
      refute_match(/[ \t]$/, text(**plan))
      next unless system("terraform", "version", out: File::NULL, err: File::NULL)
      output, status = Open3.capture2("terraform", "fmt", "-check", "-diff", "-", stdin_data: text(**plan),
        err: File::NULL)
      assert status.success?, output
    end
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
    pattern = file.all("resource", "aws_cloudwatch_log_metric_filter").first.body.attributes.fetch("pattern")
    file.all("locals").first.body.attributes.fetch("holdup_metrics").keys.to_h { |name|
      [name, FilterPattern.new(pattern.fill("each.key" => name))]
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
    alarms = file.all("resource", "aws_cloudwatch_metric_alarm").map { |alarm| alarm.body.attributes }
    assert_equal %w[jit_saturated jit_effective rss_bytes], alarms.map { |alarm| alarm["metric_name"] }
    assert_equal [["Holdup/shop"], ["notBreaching"]],
      %w[namespace treat_missing_data].map { |name| alarms.map { |alarm| alarm[name] }.uniq }
    assert_empty shown(file).map { |metric| metric[1] } - units.keys
  end

  # @return [Array<Array>] the metrics of all widgets
  def shown(file)
    call = file.all("resource", "aws_cloudwatch_dashboard").first.body.attributes.fetch("dashboard_body")
    assert_equal "jsonencode", call.name
    call.arguments.first.fetch("widgets").flat_map { |widget| widget.fetch("properties").fetch("metrics") }
  end

  def test_metrics_of_embedded_lines_are_found_by_their_dimensions
    directive = JSON.parse(lines(format: :emf)[3])["_aws"]["CloudWatchMetrics"].first
    file = file(format: :emf, app: "shop", server: "puma")
    alarm = file.all("resource", "aws_cloudwatch_metric_alarm").first.body.attributes
    assert_equal [directive["Namespace"], directive["Dimensions"]],
      [alarm["namespace"], [alarm["dimensions"].keys]]
    assert_equal ["Holdup", "units", "app", "shop", "server", "puma", {"stat" => "Sum"}], shown(file).first
    assert_empty file.all("locals")
  end

  def test_the_memory_at_which_the_alarm_fires
    alarm = file(memory_mib: 512).all("resource", "aws_cloudwatch_metric_alarm").last.body.attributes
    assert_equal 512 << 20, alarm["threshold"]
  end
end

class Holdup::Terraform::HclTest < Minitest::Test
  Hcl = Holdup::Terraform::Hcl

  def test_what_is_written_is_read
    ["plain", "a\"b\\c\n\t\r", "${var.x} %{if} $${y} $5", "$", "%", "ü€", ""].each do |text|
      assert_equal text, HclGrammar.parse("a = #{Hcl.value(text)}\n").attributes["a"], text
    end
    value = {"a" => [1, 2.5, true, nil, "x" * 90], "b" => {}, "c" => [], "d" => [{"e" => "f"}]}
    assert_equal value, HclGrammar.parse("a = #{Hcl.value(value)}\n").attributes["a"]
  end

  def test_random_texts_stay_texts
    random = Random.new(5)
    500.times do
      text = Array.new(random.rand(12)) { ["$", "%", "{", "}", "\"", "\\", "\n", "a"].sample(random:) }.join
      assert_equal text, HclGrammar.parse("a = #{Hcl.quote(text)}\n").attributes["a"], text.inspect
    end
  end

  def test_aligns_the_equals_signs_of_neighbours
    block = Hcl::Block.new("x", ["y z"], {a: 1, long_name: Hcl::Code.new("var.b"), list: [{c: 1}], d: 2},
      [Hcl::Block.new("in", [], {e: 3})])
    assert_equal <<~HCL, Hcl.render(block)
      x "y z" {
        a         = 1
        long_name = var.b
        list = [
          {
            c = 1
          },
        ]
        d = 2

        in {
          e = 3
        }
      }
    HCL
  end
end
