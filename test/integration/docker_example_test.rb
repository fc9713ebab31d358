# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "open3"
require "yaml"

# The example for Docker and Compose, without Docker: what its files say of each other, and the steps of its
# Dockerfile, taken in a folder with these gems instead of the registry's.
class DockerExampleTest < Minitest::Test
  one_ruby

  include FirstAnswer
  include TemporaryFolder

  ROOT = ServedApp::ROOT
  EXAMPLE = File.join(ROOT, "examples/docker")
  COMPOSE = YAML.safe_load_file(File.join(EXAMPLE, "compose.yaml"))
  SERVICES = COMPOSE.fetch("services")
  STEPS = Dockerfile.instructions(File.join(EXAMPLE, "Dockerfile"))

  def test_what_is_copied_and_mounted_is_there
    copied = STEPS.fetch("COPY").grep_v(/\A--from=/).flat_map { |line| line.split[0..-2] }
    assert_empty copied.grep_v(/\.gem\z/).reject { |path| File.exist?(File.join(ROOT, path)) }
    mounted = SERVICES.values.flat_map { |service| service.fetch("volumes", []) }.grep(/\A\./)
    assert_operator mounted.size, :>=, 5
    assert_empty mounted.map { |mount| mount.split(":").first }.reject { |path|
      File.file?(File.join(EXAMPLE, path))
    }
  end

  def test_variables_are_settings_with_valid_values
    known = {**SERVICES.dig("web", "environment"), **image_variables}
    assert_empty Holdup::Configuration::Variables.unknown(known)
    configuration = Holdup::Configuration.build(env: known)
    assert_equal 9395, configuration.prometheus[:port]
  end

  def test_prometheus_asks_the_port_that_the_shop_opens_and_grafana_asks_prometheus
    scraped = YAML.safe_load_file(File.join(EXAMPLE, "prometheus.yml"))
    assert_equal ["web:9395"], scraped.dig("scrape_configs", 0, "static_configs", 0, "targets")
    source = YAML.safe_load_file(File.join(EXAMPLE, "grafana/datasource.yml"))
    assert_equal "http://prometheus:9090", source.dig("datasources", 0, "url")
    provided = YAML.safe_load_file(File.join(EXAMPLE, "grafana/dashboards.yml"))
    dashboards = provided.dig("providers", 0, "options", "path")
    assert SERVICES.dig("grafana", "volumes").grep(/:#{dashboards}\//).any?
  end

  def test_prometheus_understands_its_file
    skip "no promtool here: bin/setup --services installs it" unless PrometheusServer.on_path?("promtool")
    file = File.join(folder, "prometheus.yml")
    text = File.read(File.join(EXAMPLE, "prometheus.yml"))
    File.write(file, text.sub("/etc/prometheus/rules.yml", File.join(ROOT, "examples/prometheus/rules.yml")))
    said, status = Open3.capture2e("promtool", "check", "config", file)
    assert_predicate status, :success?, said
  end

  def test_the_last_round_ends_before_the_container_is_killed
    assert_operator SERVICES.dig("web", "stop_grace_period").to_i, :>, Holdup::Collector::GRACE_S
  end

  # With the agent precompiled, as it is published.
  thorough def test_the_steps_of_the_dockerfile_serve_the_shop
    prepare_folders
    steps = STEPS.fetch("RUN").grep_v(/\Aapt-get|chown/)
    steps.each { |step| run_step(step.sub("install", "install --local")) }
    with_upstream do |addresses|
      env = {**environment, **addresses, **image_variables.except("HOLDUP_STORE")}
      report = ["bundle", "exec", "holdup"]
      answer = first_answer(JSON.parse(STEPS.fetch("CMD").first), report:, app: shop, path: "/products", env:)
      assert_equal [["ProductsController#index", FirstAnswer::REQUESTS]],
        answer["series"].map { |series| series.values_at("name", "count") }
    end
  end

  private

  # @return [Hash{String => String}] of ENV, but for the places of the image
  def image_variables
    pairs = STEPS.fetch("ENV").flat_map(&:split).map { |pair| pair.split("=", 2) }
    pairs.to_h.slice("RAILS_ENV", "HOLDUP_STORE")
  end

  def shop = File.join(folder, "shop")

  def prepare_folders
    FileUtils.cp_r(File.join(ROOT, "examples/storefront"), shop)
    FileUtils.cp(File.join(EXAMPLE, "Gemfile"), shop)
    FileUtils.mkdir(File.join(folder, "data"))
    of_the_tests = OtherBundle.of(File.join(ROOT, "Gemfile"))
    run_command(of_the_tests, ROOT, *ServedApp::BUNDLED, "rake", "native", "gem")
    built = Dir["#{ROOT}/pkg/holdup-agent-*-#{Gem::Platform.local}*.gem"].max_by { |path| File.mtime(path) }
    FileUtils.cp(built, File.join(folder, "holdup-agent.gem"))
    build = ["gem", "build", "holdup.gemspec", "--output", File.join(folder, "holdup.gem")]
    run_command(OtherBundle::NONE, ROOT, *build)
  end

  def run_step(step)
    run_command(environment, shop, "sh", "-euc", step.gsub("/tmp/", "#{folder}/"))
  end

  # Gems that the tests have are there; nothing is asked of a registry.
  def environment
    home = File.join(folder, "gems")
    rc = File.join(folder, "gemrc")
    File.write(rc, "install: --conservative\n")
    own = {"GEM_HOME" => home, "GEM_PATH" => [home, *Gem.path].join(":"), "GEMRC" => rc,
           "BUNDLE_PATH" => nil, "PATH" => "#{home}/bin:#{ENV["PATH"]}",
           "STOREFRONT_STORAGE" => File.join(folder, "data")}
    {**OtherBundle.of(File.join(shop, "Gemfile")), **own}
  end

  # @yieldparam addresses [Hash{String => String}]
  def with_upstream
    server = IO.popen([RbConfig.ruby, File.join(shop, "upstream/server.rb")])
    http, database = server.gets.split
    yield("STOREFRONT_UPSTREAM" => http, "STOREFRONT_DATABASE_PEER" => database)
  ensure
    Process.kill(:TERM, server.pid) if server
    server&.close
  end

  def run_command(env, folder, *command)
    said, status = Open3.capture2e(env, *command, chdir: folder)
    assert_predicate status, :success?, said
  end
end
