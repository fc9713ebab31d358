# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "open3"
require "yaml"

# The examples for Kubernetes: their fields are those of its API, and their values fit Holdup.
class KubernetesTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  ROOT = File.expand_path("../..", __dir__)
  EXAMPLES = File.join(ROOT, "examples/kubernetes")
  CHECK = File.join(ROOT, "test/kubernetes/check.cjs")
  # Whose API is not Kubernetes' own.
  KEDA = "keda.sh/v1alpha1"
  # Fields of a ScaledObject that are used here, by KEDA's documentation (2.12).
  SCALED_OBJECT = {
    "scaleTargetRef" => %w[name], "minReplicaCount" => nil, "maxReplicaCount" => nil,
    "pollingInterval" => nil, "fallback" => %w[failureThreshold replicas],
    "advanced" => %w[horizontalPodAutoscalerConfig],
    "triggers" => nil
  }.freeze
  TRIGGERS = {"prometheus" => %w[serverAddress query threshold ignoreNullValues],
              "metrics-api" => %w[url valueLocation targetValue]}.freeze
  MIB = 1024 * 1024

  def documents
    Dir["#{EXAMPLES}/*.yaml"].sort.flat_map do |file|
      YAML.load_stream(File.read(file)).map { |document| [File.basename(file), document] }
    end
  end

  def deployments = documents.select { |_, document| document["kind"] == "Deployment" }

  def pods
    deployments.map { |file, document| [file, document.dig("spec", "template", "spec")] }
  end

  def containers
    pods.flat_map { |file, pod| [*pod["initContainers"], *pod["containers"]].map { |one| [file, pod, one] } }
  end

  def variables(container)
    container["env"].to_h { |variable| [variable["name"], variable["value"] || :from_elsewhere] }
  end

  def test_each_field_is_one_of_the_kubernetes_api
    install
    own = documents.reject { |_, document| document["apiVersion"] == KEDA }
    own.each do |file, document|
      said, status = check(document)
      assert_predicate status, :success?, "#{file}: #{said}"
    end
    assert_equal %w[CronJob Deployment Deployment HorizontalPodAutoscaler Service],
      own.map { |_, each| each["kind"] }.sort
  end

  def test_a_mistyped_field_would_be_found
    install
    _, document = deployments.first
    container = document.dig("spec", "template", "spec", "containers", 0)
    container["securityContext"]["readOnlyRootFileSystem"] = true
    said, status = check(document)
    refute_predicate status, :success?
    assert_match(/readOnlyRootFileSystem/, said)
  end

  def test_fields_of_keda
    scaled = documents.map(&:last).select { |document| document["apiVersion"] == KEDA }
    assert_equal 2, scaled.size
    scaled.each do |document|
      spec = document["spec"]
      assert_empty spec.keys - SCALED_OBJECT.keys
      SCALED_OBJECT.compact.each { |name, known| assert_empty spec.fetch(name, {}).keys - known, name }
      spec["triggers"].each { |trigger| assert_trigger(trigger) }
    end
  end

  def test_variables_are_settings_with_valid_values
    containers.each do |file, _, container|
      given = variables(container)
      known = given.transform_values { |value| (value == :from_elsewhere) ? "postgres://db/holdup" : value }
      assert_empty Holdup::Configuration::Variables.unknown(known), file
      assert_kind_of Holdup::Configuration, Holdup::Configuration.build(env: known)
    end
  end

  def test_segments_are_in_memory_that_both_containers_have
    pods.each do |file, pod|
      volume = pod["volumes"].find { |one| one["name"] == "segments" }
      assert_equal "Memory", volume.dig("emptyDir", "medium"), file
      assert_equal "64Mi", volume.dig("emptyDir", "sizeLimit")
    end
    containers.each do |file, _, container|
      mount = container["volumeMounts"].find { |one| one["name"] == "segments" }
      assert variables(container).fetch("HOLDUP_DIR").start_with?("#{mount["mountPath"]}/"), file
    end
  end

  def test_containers_have_no_privileges_and_the_same_user
    containers.each do |file, pod, container|
      context = pod["securityContext"].merge(container["securityContext"])
      assert_equal [true, 1000, 1000, false, true, ["ALL"]],
        [*context.values_at("runAsNonRoot", "runAsUser", "runAsGroup", "allowPrivilegeEscalation",
          "readOnlyRootFilesystem"), context.dig("capabilities", "drop")], file
    end
  end

  def test_the_last_round_ends_before_the_pod_is_killed
    pods.each do |file, pod|
      assert_operator pod["terminationGracePeriodSeconds"], :>, 30 + Holdup::Collector::GRACE_S, file
    end
  end

  def test_one_collector_writes
    sidecar, inside = %w[sidecar.yaml in-container.yaml].map { |name|
      containers.select { |file, _, _| file == name }.map(&:last)
    }
    assert_equal [["collect"], nil], sidecar.map { |one| one["args"] }
    assert_equal [nil, "off"], sidecar.map { |one| variables(one)["HOLDUP_COLLECTOR"] }
    assert_equal "Always", sidecar.first["restartPolicy"]
    assert_equal [nil], inside.map { |one| variables(one)["HOLDUP_COLLECTOR"] }
  end

  # A run every ten minutes computes the four answers often enough that none is too old to be shown.
  def test_advice_is_kept_by_a_job_without_privileges
    spec = documents.map(&:last).find { |document| document["kind"] == "CronJob" }.fetch("spec")
    pod = spec.dig("jobTemplate", "spec", "template", "spec")
    container = pod["containers"].first
    keeping = Holdup::Advise::Command.parse(container["args"].drop(1), Holdup::CLI::Console.system)
    assert_equal ["advise", Holdup::Advise::KeepCommand], [container["args"].first, keeping[:command]]
    every_s = Integer(spec["schedule"][%r{\A\*/(\d+) }, 1]) * 60
    answers = Holdup::Advise::KeepCommand::SPANS.size * 2
    assert_operator answers * every_s, :<, 86_400 / Holdup::Queries::KeptResults::AgeLimits::MOST_AGE
    context = pod["securityContext"].merge(container["securityContext"])
    assert_equal [true, false, true],
      context.values_at("runAsNonRoot", "allowPrivilegeEscalation", "readOnlyRootFilesystem")
  end

  def test_what_autoscalers_ask_for_is_exported
    text = Dir["#{EXAMPLES}/{keda,hpa}.yaml"].map { |file| File.read(file) }.join
    gauges = Holdup::Scaling::ScalingSignal::GAUGES.keys.map(&:to_s)
    assert_empty text.scan(/holdup_\w+/).uniq - gauges - %w[holdup_exporter_last_commit_timestamp_seconds]
    assert_includes text, "/#{Holdup::Scaling::ScalingSignal::FILE}"
  end

  # Without Docker: what would be run in the image, with these gems instead of the registry's and in a folder
  # of its own.
  thorough def test_the_steps_of_the_dockerfile_make_a_collector
    build_gems
    steps = dockerfile
    steps.fetch("RUN").grep_v(/\Aapt-get/).each { |step| run_step(step) }
    assert_equal ['["holdup"]'], steps.fetch("ENTRYPOINT")
    assert_equal ['["collect"]'], steps.fetch("CMD")
    assert_equal ["1000:1000"], steps.fetch("USER")
    command = [*JSON.parse(steps["ENTRYPOINT"].first), *JSON.parse(steps["CMD"].first)]
    said, status = in_image(*command, "--once")
    assert_predicate status, :success?, said
    assert_path_exists File.join(folder, "store.sqlite3")
    version, = in_image("holdup", "version")
    assert version.start_with?("holdup #{Holdup::VERSION} "), version
  end

  def test_packages_of_the_dockerfile_are_named_once_for_both_images
    installed = dockerfile.fetch("RUN").grep(/\Aapt-get/)
    assert_equal 2, installed.size
    assert_empty installed.reject { |step| step.include?("--no-install-recommends") }
  end

  private

  def assert_trigger(trigger)
    assert_equal "Value", trigger["metricType"]
    known = TRIGGERS.fetch(trigger["type"])
    assert_empty trigger["metadata"].keys - known
    assert_empty trigger["metadata"].values.grep_v(String) # KEDA takes nothing else
  end

  def install
    return if File.exist?(File.join(File.dirname(CHECK), "node_modules/kubernetes-models/package.json"))
    said, done = Open3.capture2e("npm", "ci", "--ignore-scripts", "--silent", chdir: File.dirname(CHECK))
    assert_predicate done, :success?, said
  end

  def check(document)
    Open3.capture2e("node", CHECK, stdin_data: JSON.generate(document))
  end

  def dockerfile = Dockerfile.instructions(File.join(EXAMPLES, "Dockerfile"))

  # By the commands in the head of the Dockerfile.
  def build_gems
    commands = File.read(File.join(EXAMPLES, "Dockerfile")).scan(/^#   (gem build .*)$/).flatten
    assert_equal 2, commands.size
    commands.each do |command|
      said, status = Open3.capture2e(command.sub("examples/kubernetes", folder), chdir: ROOT)
      assert_predicate status, :success?, said
    end
  end

  def run_step(step)
    moved = step.gsub("/tmp/", "#{folder}/")
    said, status = in_image("sh", "-euc", moved)
    assert_predicate status, :success?, said
  end

  def in_image(*command)
    home = File.join(folder, "image")
    rc = File.join(folder, "gemrc")
    File.write(rc, "install: --local --conservative\n")
    environment = {"GEM_HOME" => home, "GEM_PATH" => "#{home}:#{Gem.path.join(":")}", "GEMRC" => rc,
                   "PATH" => "#{home}/bin:#{ENV["PATH"]}", "STORE_GEM" => "pg",
                   **OtherBundle::NONE, "HOLDUP_DIR" => File.join(folder, "segments"),
                   "HOLDUP_STORE" => File.join(folder, "store.sqlite3")}
    Open3.capture2e(environment, *command, chdir: folder)
  end
end
