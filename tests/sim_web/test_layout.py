"""The sizes of hosts, for all exponents that a profile can have."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.kernels import zipf_mass
from counterpoint.sim_web.generator.layout import SHIFT, lay_out
from counterpoint.sim_web.sections import Hosts


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 4) | st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 4.0]), st.integers(50, 2_000),
    st.sampled_from([1.0, 5.0, 40.0]),
)  # fmt: skip
def test_sizes_of_hosts_fall_as_a_power(exponent: float, pages: int, mean: float) -> None:
    """A page on two hosts or on none, a host without pages, or sizes that do not fall."""
    made = profile.Profile("test", hosts=Hosts(mean_pages=mean, exponent=exponent))
    web = Web(made, pages, 3)
    places = [web.pages_of(host) for host in range(web.hosts)]
    assert [page for place in places for page in place] == list(range(pages))
    assert all(web.host(page) == host for host, place in enumerate(places)
               for page in (place.start, place.stop - 1))  # fmt: skip
    layout = lay_out(made, pages, np.uint64(0))
    for _, count, first, hosts in layout.regions.tolist():
        sizes = np.array([len(place) for place in places[first : first + hosts]])
        weights = zipf_mass(1.0, float(hosts), layout.reals[0], SHIFT) if hosts > 1 else 1.0
        assert hosts == 0 or abs(sizes[0] - 1 - (count - hosts) * weights) <= 1
        assert (np.diff(sizes) <= 2).all()  # both ends of a host are rounded down
